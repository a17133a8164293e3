CREATE TABLE "workflow_timers" (
	"run_id" uuid NOT NULL,
	"step_id" text NOT NULL,
	"epoch" integer NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"status" text NOT NULL,
	CONSTRAINT "workflow_timers_run_id_step_id_epoch_pk" PRIMARY KEY("run_id","step_id","epoch")
);
--> statement-breakpoint
CREATE INDEX "workflow_timers_due" ON "workflow_timers" USING btree ("due_at") WHERE status = 'set';