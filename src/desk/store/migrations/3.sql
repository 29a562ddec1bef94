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

  -- Which mail a person gets about their own Work: 'end', 'steps' or 'off'.
  ALTER TABLE notice_choice ADD COLUMN own_work TEXT NOT NULL DEFAULT 'end';
  -- Since when each channel is looked for, by its name, as JSON. And the newest row of the record that was searched for new Work.
  ALTER TABLE notice_desk ADD COLUMN channels TEXT NOT NULL DEFAULT '{}';
  ALTER TABLE notice_desk ADD COLUMN recorded_until INTEGER;

  -- The Works as a desk last saw them, until they are done.
  CREATE TABLE noticed_work (
    work_id TEXT PRIMARY KEY,
    -- 'created' at this desk and not seen yet, 'working' or 'paused'.
    status TEXT NOT NULL,
    colleague TEXT NOT NULL,
    priority TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT;

  -- The approvals that wait no more, until the desk reads how they were decided.
  CREATE TABLE ended_approval (
    work_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    -- The version that waited last.
    version TEXT NOT NULL,
    colleague TEXT NOT NULL,
    priority TEXT NOT NULL,
    created_at TEXT NOT NULL,
    ended_at INTEGER NOT NULL,
    PRIMARY KEY (work_id, item_id)
  ) STRICT;

  -- What became of a person's own Work and is in no delivery of the channel yet.
  CREATE TABLE own_notice (
    channel TEXT NOT NULL,
    recipient TEXT NOT NULL,
    work_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    version TEXT NOT NULL,
    step TEXT NOT NULL,
    -- 1 when the Work is urgent.
    urgent INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (channel, recipient, work_id, item_id, version, step)
  ) STRICT;

  -- What is frozen: since when, why, and by whom.
  CREATE TABLE frozen (
    -- The id of a colleague; '' for the whole desk.
    colleague TEXT NOT NULL PRIMARY KEY,
    -- NULL: the operator, by the command.
    person_id TEXT,
    since INTEGER NOT NULL,
    reason TEXT NOT NULL
  ) STRICT;

  -- The devices to which a person's browsers take push messages.
  CREATE TABLE push_device (
    id TEXT PRIMARY KEY,
    person_id TEXT NOT NULL,
    -- The session that made it. It stays when the session's time is over.
    session_id TEXT NOT NULL,
    -- The SHA-256 of the browser's cookie of push.
    browser_id TEXT NOT NULL,
    endpoint TEXT NOT NULL UNIQUE,
    p256dh TEXT NOT NULL,
    auth TEXT NOT NULL,
    label TEXT NOT NULL,
    since INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX push_device_by_person ON push_device (person_id);
  CREATE INDEX push_device_by_session ON push_device (session_id);
  CREATE INDEX push_device_by_browser ON push_device (browser_id);
  -- Whether a person has push, and since when.
  ALTER TABLE notice_choice ADD COLUMN push INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE notice_choice ADD COLUMN push_from INTEGER NOT NULL DEFAULT 0;
  -- The key by which push services know this desk (RFC 8292), as JSON.
  ALTER TABLE notice_desk ADD COLUMN push_key TEXT;

  -- When a person is away, and who stands in. The times are in milliseconds since 1970.
  CREATE TABLE away (
    person_id TEXT PRIMARY KEY,
    from_at INTEGER NOT NULL,
    until_at INTEGER NOT NULL,
    stand_in TEXT,
    -- Differs at each change.
    etag TEXT NOT NULL
  ) STRICT;
