  -- The rows of the record that a command has appended, until a desk has logged them.
  CREATE TABLE unlogged_row (
    sequence INTEGER PRIMARY KEY
  ) STRICT;

  -- The state of each attempt, so that a replay finds those that count without reading all attempts of its key.
  CREATE TABLE attempt (
    -- The sequence of its intent in the record.
    intent INTEGER PRIMARY KEY,
    key_hash TEXT NOT NULL,
    person_id TEXT NOT NULL,
    -- '' where somebody has edited the row.
    input_hash TEXT NOT NULL,
    outcome TEXT NOT NULL
  ) STRICT;
  -- Keeps the attempts of a desk of schema 3 that shares the store during an upgrade. Only desks with PostgreSQL share one. The next migration drops it.
  --postgres CREATE FUNCTION keep_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
  --postgres BEGIN
  --postgres   IF NEW.outcome IS NOT NULL THEN
  --postgres     UPDATE attempt SET outcome = NEW.outcome WHERE intent = NEW.intent AND outcome <> NEW.outcome;
  --postgres   ELSIF NEW.key_hash IS NOT NULL AND NEW.person_id IS NOT NULL THEN
  --postgres     INSERT INTO attempt (intent, key_hash, person_id, input_hash, outcome)
  --postgres       VALUES (NEW.sequence, NEW.key_hash, NEW.person_id,
  --postgres         coalesce(substring(NEW.entry from '"input_hash":"([^"]*)"'), ''), 'unknown')
  --postgres       ON CONFLICT (intent) DO UPDATE SET key_hash = excluded.key_hash, person_id = excluded.person_id,
  --postgres         input_hash = excluded.input_hash, outcome = excluded.outcome;
  --postgres   END IF;
  --postgres   RETURN NULL;
  --postgres END $$;
  --postgres CREATE TRIGGER keep_attempt AFTER INSERT ON record FOR EACH ROW EXECUTE FUNCTION keep_attempt();
  INSERT INTO attempt (intent, key_hash, person_id, input_hash, outcome)
    SELECT sequence, key_hash, person_id,
      CASE WHEN input LIKE '%"%' THEN substr(input, 1, instr(input, '"') - 1) ELSE '' END,
      coalesce((SELECT outcome FROM record WHERE intent = asked.sequence AND outcome IS NOT NULL ORDER BY sequence DESC LIMIT 1), 'unknown')
    FROM (
      SELECT sequence, key_hash, person_id,
        CASE WHEN entry LIKE '%"input_hash":"%' THEN substr(entry, instr(entry, '"input_hash":"') + 14) ELSE '' END AS input
      FROM record WHERE key_hash IS NOT NULL AND person_id IS NOT NULL
    ) AS asked;
  CREATE INDEX attempt_by_person ON attempt (key_hash, person_id);
  CREATE INDEX attempt_by_outcome ON attempt (key_hash, outcome, input_hash, intent);

  -- Whether the provider sent the claim of groups at the person's last sign-in: 'absent' or 'present', which may be empty. NULL: an older version stored the sign-in.
  ALTER TABLE person ADD COLUMN groups_claim TEXT;

  -- Since when a person is shown what is new in Work that concerns them.
  CREATE TABLE seen_since (
    person_id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    -- The newest action in the record at that time.
    sequence INTEGER NOT NULL
  ) STRICT;

  -- What a person last saw of a Work that concerns them.
  CREATE TABLE seen_work (
    person_id TEXT NOT NULL,
    work_id TEXT NOT NULL,
    -- The Work's version, an int64.
    version TEXT NOT NULL,
    -- The newest action in the record at that time.
    sequence INTEGER NOT NULL,
    -- When the newest item was created that the person has seen, by the service's clock.
    items_until INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (person_id, work_id)
  ) STRICT;

  -- `notice` also has what people are to hear of their own Work and is in no delivery yet. These rows stood in own_notice.
  CREATE TABLE any_notice (
    channel TEXT NOT NULL,
    recipient TEXT NOT NULL,
    work_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    version TEXT NOT NULL,
    step TEXT NOT NULL,
    -- NULL until the notice is in a delivery.
    delivery INTEGER,
    -- Of a notice about own Work: 1 when the Work is urgent, and when the desk saw the step.
    urgent INTEGER,
    seen_at INTEGER,
    PRIMARY KEY (channel, recipient, work_id, item_id, version, step)
  ) STRICT;
  INSERT INTO any_notice (channel, recipient, work_id, item_id, version, step, delivery)
    SELECT channel, recipient, work_id, item_id, version, step, delivery FROM notice;
  DROP TABLE notice;
  ALTER TABLE any_notice RENAME TO notice;
  CREATE INDEX notice_of_delivery ON notice (delivery) WHERE delivery IS NOT NULL;
  CREATE INDEX notice_of_item ON notice (work_id, item_id);
  CREATE INDEX notice_without_delivery ON notice (seen_at) WHERE delivery IS NULL;
  -- The Works that a desk of schema 3 has recorded after its last look.
  INSERT INTO noticed_work (work_id, status, colleague, priority, created_at)
    SELECT DISTINCT answered.work_id, 'created', '', 'normal', ''
    FROM record AS answered JOIN record AS asked ON asked.sequence = answered.intent
    WHERE answered.sequence > (SELECT recorded_until FROM notice_desk WHERE id = 1) AND answered.outcome = 'recorded'
      AND asked.operation = 'createWork' AND answered.work_id IS NOT NULL
      AND answered.work_id NOT IN (SELECT work_id FROM noticed_work);
  -- The Works that no look has seen yet.
  CREATE INDEX noticed_work_created ON noticed_work (work_id) WHERE status = 'created';
  -- own_notice and notice_desk.recorded_until stay for a desk of schema 3 that shares the store during an upgrade. The next migration drops both.

  -- No released version since schema 3 reads these.
  DROP TABLE archived_key;
  DROP TABLE sending_approval;
