  -- The greatest number that a delivery has had. No number is used again.
  ALTER TABLE notice_desk ADD COLUMN last_delivery INTEGER NOT NULL DEFAULT 0;
  UPDATE notice_desk SET last_delivery = (SELECT COALESCE(MAX(sequence), 0) FROM notice_delivery);
  -- What was told to people who were forgotten before their deliveries left.
  DELETE FROM notice WHERE NOT EXISTS (
    SELECT 1 FROM notice_delivery AS own
    WHERE own.sequence = notice.delivery AND own.channel = notice.channel AND own.recipient = notice.recipient
  );

  -- The newest known approvals and done Works are read a page at a time.
  CREATE INDEX known_approval_by_time ON known_approval (known_at, work_id, approval_id);
  CREATE INDEX known_work_by_time ON known_work (known_at, work_id);

  -- An archived row stays in `record`, with the hash '' and little of its text. A desk before this version has kept the intents alone, each with
  -- its outcome in its own row.
  INSERT INTO record (sequence, entry, hash, intent, at, person_id, operation, work_id, item_id, key_hash, outcome)
    SELECT sequence, '{"input_hash":"' || input_hash || '"}', '', sequence, 0, person_id, operation, work_id, item_id, key_hash, outcome
    FROM archived_key WHERE sequence <= (SELECT max(sequence) FROM record_checkpoint)
    ON CONFLICT (sequence) DO NOTHING;

  -- Of Work that was created at this desk: the Work in whose place it was delegated, and its inputs.
  CREATE TABLE work_origin (
    work_id TEXT PRIMARY KEY,
    instead_of TEXT,
    -- The ids of the uploads, as a JSON array.
    uploads TEXT NOT NULL,
    -- The sequence of its createWork in the record.
    intent INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX work_origin_by_instead_of ON work_origin (instead_of, intent) WHERE instead_of IS NOT NULL;
