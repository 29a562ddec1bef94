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
