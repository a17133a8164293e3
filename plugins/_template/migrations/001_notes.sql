CREATE TABLE notes (
  team_id uuid NOT NULL DEFAULT current_setting('clew.team_id')::uuid,
  idempotency_key text NOT NULL,
  text text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (team_id, idempotency_key)
);
