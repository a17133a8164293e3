-- The audit log only grows: nobody changes or removes what it says, the application included.
CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'audit_log is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER audit_log_no_change BEFORE UPDATE OR DELETE ON "audit_log" FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
--> statement-breakpoint
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON "audit_log" FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();
--> statement-breakpoint
-- Even a session that disables ordinary triggers (session_replication_role) fires these.
ALTER TABLE "audit_log" ENABLE ALWAYS TRIGGER audit_log_no_change;
--> statement-breakpoint
ALTER TABLE "audit_log" ENABLE ALWAYS TRIGGER audit_log_no_truncate;
--> statement-breakpoint
-- Each transition rewrites a run's row and its steps' rows: room on the page keeps those updates off the indexes (HOT), and
-- early vacuum and analyze keep the plans true while the tables grow from nothing.
ALTER TABLE "workflow_runs" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE "workflow_steps" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
