-- The team's ledger. Entries are never changed or removed: a reversal is an entry of its own with the opposite amount.
CREATE TABLE entries (
  team_id uuid NOT NULL DEFAULT current_setting('clew.team_id')::uuid,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  amount numeric NOT NULL,
  memo text NOT NULL,
  reverses uuid,
  idempotency_key text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (team_id, id),
  CONSTRAINT entries_once UNIQUE (team_id, idempotency_key),
  CONSTRAINT entries_reversed_once UNIQUE (team_id, reverses),
  FOREIGN KEY (team_id, reverses) REFERENCES entries (team_id, id)
);

CREATE INDEX entries_newest ON entries (team_id, created_at DESC, id);
