ALTER TABLE "step_attempts" ADD COLUMN "plugin" text;--> statement-breakpoint
ALTER TABLE "workflow_steps" ADD COLUMN "key_epoch" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "workflow_steps" ADD COLUMN "ambiguous" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "workflow_steps" ADD COLUMN "items" integer;--> statement-breakpoint
ALTER TABLE "workflow_steps" ADD COLUMN "plugin" text;