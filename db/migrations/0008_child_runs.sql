ALTER TABLE "workflow_runs" ADD COLUMN "parent_step_id" text;--> statement-breakpoint
ALTER TABLE "workflow_runs" ADD COLUMN "parent_item" integer;--> statement-breakpoint
ALTER TABLE "workflow_runs" ADD COLUMN "parent_epoch" integer;--> statement-breakpoint
ALTER TABLE "workflow_runs" ADD COLUMN "depth" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "workflow_runs" ADD COLUMN "descendants" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "workflow_runs" ADD COLUMN "pins" json;--> statement-breakpoint
ALTER TABLE "workflow_runs" ADD COLUMN "face" text;--> statement-breakpoint
ALTER TABLE "workflow_steps" ADD COLUMN "child_run_id" uuid;--> statement-breakpoint
ALTER TABLE "workflow_steps" ADD COLUMN "child_face" text;--> statement-breakpoint
CREATE INDEX "workflow_runs_parent" ON "workflow_runs" USING btree ("parent_run_id","created_at" DESC NULLS LAST) WHERE parent_run_id IS NOT NULL;