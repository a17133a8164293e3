CREATE TABLE "quota_places" (
	"job_id" uuid PRIMARY KEY NOT NULL,
	"team_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"step_id" text NOT NULL,
	"item" integer NOT NULL,
	"epoch" integer NOT NULL,
	"standing" text NOT NULL,
	"reason" text,
	"since" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "team_quotas" (
	"team_id" uuid PRIMARY KEY NOT NULL,
	"steps_per_day" integer,
	"concurrent_steps" integer,
	CONSTRAINT "team_quotas_limits" CHECK ("team_quotas"."steps_per_day" >= 0 AND "team_quotas"."concurrent_steps" >= 0)
);
--> statement-breakpoint
CREATE TABLE "team_usage" (
	"team_id" uuid NOT NULL,
	"day" date NOT NULL,
	"steps" integer NOT NULL,
	CONSTRAINT "team_usage_team_id_day_pk" PRIMARY KEY("team_id","day")
);
--> statement-breakpoint
ALTER TABLE "workflow_steps" ADD COLUMN "deferred_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "workflow_steps" ADD COLUMN "deferred_for" text;--> statement-breakpoint
ALTER TABLE "quota_places" ADD CONSTRAINT "quota_places_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_quotas" ADD CONSTRAINT "team_quotas_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_usage" ADD CONSTRAINT "team_usage_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "quota_places_team" ON "quota_places" USING btree ("team_id","standing","since");