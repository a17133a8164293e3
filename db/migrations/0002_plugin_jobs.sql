CREATE TABLE "plugin_jobs" (
	"kind" text PRIMARY KEY NOT NULL,
	"plugin_id" text NOT NULL,
	"title" text NOT NULL,
	"description" text NOT NULL,
	"effect" text NOT NULL,
	"input_schema" json NOT NULL,
	"output_schema" json NOT NULL
);
--> statement-breakpoint
ALTER TABLE "plugin_jobs" ADD CONSTRAINT "plugin_jobs_plugin_id_plugins_id_fk" FOREIGN KEY ("plugin_id") REFERENCES "public"."plugins"("id") ON DELETE cascade ON UPDATE no action;