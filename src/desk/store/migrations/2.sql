  -- Who created a Work at this desk (`creator`), and who decided an approval of it (`decider`). Stays when rows of the record are archived.
  CREATE TABLE work_person (
    work_id TEXT NOT NULL,
    person_id TEXT NOT NULL,
    deed TEXT NOT NULL,
    -- Of a creator: the names of the teams at that time, as a JSON array. NULL: not known.
    teams TEXT,
    PRIMARY KEY (work_id, person_id, deed)
  ) STRICT;
  INSERT INTO work_person (work_id, person_id, deed, teams)
    SELECT DISTINCT coalesce(answered.work_id, asked.work_id), asked.person_id,
      CASE asked.operation WHEN 'createWork' THEN 'creator' ELSE 'decider' END, NULL
    FROM record AS asked JOIN record AS answered ON answered.intent = asked.sequence
    WHERE asked.operation IN ('createWork', 'resolveWorkApproval') AND asked.person_id <> 'local'
      AND answered.outcome = 'recorded' AND coalesce(answered.work_id, asked.work_id) IS NOT NULL;

  -- What decides who sees done Work. NULL until the Work is read again.
  ALTER TABLE known_work ADD COLUMN scope TEXT;
  ALTER TABLE known_work ADD COLUMN colleague TEXT;

  -- To whom an item is given.
  CREATE TABLE assignment (
    work_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    -- One of the two.
    person_id TEXT,
    team TEXT,
    by_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    note TEXT,
    etag TEXT NOT NULL,
    PRIMARY KEY (work_id, item_id)
  ) STRICT;

  -- What a person has set aside for themselves.
  CREATE TABLE aside (
    person_id TEXT NOT NULL,
    work_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    version TEXT NOT NULL,
    until INTEGER NOT NULL,
    set_at INTEGER NOT NULL,
    PRIMARY KEY (person_id, work_id, item_id)
  ) STRICT;

  -- Each createWork that may have created Work without this desk knowing which.
  CREATE TABLE open_creation (
    intent INTEGER PRIMARY KEY,
    person_id TEXT NOT NULL,
    key_hash TEXT NOT NULL
  ) STRICT;
  CREATE INDEX open_creation_of_person ON open_creation (person_id);
  INSERT INTO open_creation (intent, person_id, key_hash)
    SELECT sequence, person_id, key_hash FROM record AS creation
    WHERE operation = 'createWork' AND NOT EXISTS
      (SELECT 1 FROM record WHERE intent = creation.sequence AND outcome IN ('recorded', 'refused'))
    AND NOT EXISTS
      (SELECT 1 FROM record AS asked JOIN record AS answered ON answered.intent = asked.sequence
       WHERE asked.key_hash = creation.key_hash AND asked.person_id = creation.person_id
         AND answered.outcome = 'recorded');

  -- Which desk does what one desk at a time may do.
  CREATE TABLE lease (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE notice_choice (
    person_id TEXT PRIMARY KEY,
    -- Grows with each change, for the ETag.
    revision INTEGER NOT NULL,
    mail TEXT NOT NULL,
    urgent_at_once INTEGER NOT NULL,
    quiet_from TEXT,
    quiet_until TEXT,
    time_zone TEXT NOT NULL,
    -- When the person chose a mail again after `off`.
    chosen_again_at INTEGER
  ) STRICT;

  -- What became of the last mail to a person.
  CREATE TABLE notice_delivery_state (
    person_id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    state TEXT NOT NULL,
    -- How often in a row the mail server refused the address.
    refusals INTEGER NOT NULL
  ) STRICT;

  -- One row: the key of the tokens that unsubscribe, and when the due mails were last looked for.
  CREATE TABLE notice_desk (
    id INTEGER PRIMARY KEY,
    token_key TEXT NOT NULL,
    looked_at INTEGER NOT NULL
  ) STRICT;

  -- The items that waited when a desk last looked.
  CREATE TABLE noticed_item (
    work_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    version TEXT NOT NULL,
    colleague TEXT NOT NULL,
    priority TEXT NOT NULL,
    created_at TEXT NOT NULL,
    -- When a desk first saw this version.
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (work_id, item_id)
  ) STRICT;

  -- A mail or an event of the webhook.
  CREATE TABLE notice_delivery (
    -- The order in which they were made.
    sequence INTEGER PRIMARY KEY,
    -- The left part of the Message-ID, or the webhook-id.
    id TEXT NOT NULL,
    channel TEXT NOT NULL,
    -- A person's id, `mailbox:` and an address, or `webhook`.
    recipient TEXT NOT NULL,
    -- Of an event: the JSON that is sent. Of an escalation: after how long.
    content TEXT,
    made_at INTEGER NOT NULL,
    -- Not before this moment.
    due_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    leased_by TEXT,
    leased_until INTEGER,
    -- Null while it is unsent.
    settled_at INTEGER,
    outcome TEXT,
    -- The code of the last answer, such as 250, 503 or ECONNREFUSED.
    answer TEXT
  ) STRICT;
  CREATE INDEX notice_delivery_unsent ON notice_delivery (channel, sequence) WHERE settled_at IS NULL;
  CREATE INDEX notice_delivery_settled ON notice_delivery (settled_at) WHERE settled_at IS NOT NULL;

  -- What a delivery tells. The key makes each step of an item in a version be told to a recipient once.
  CREATE TABLE notice (
    channel TEXT NOT NULL,
    recipient TEXT NOT NULL,
    work_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    version TEXT NOT NULL,
    step TEXT NOT NULL,
    delivery INTEGER NOT NULL,
    PRIMARY KEY (channel, recipient, work_id, item_id, version, step)
  ) STRICT;
  CREATE INDEX notice_of_delivery ON notice (delivery);
  CREATE INDEX notice_of_item ON notice (work_id, item_id);

  -- Where an archive of the record ends. The rows up to this one are in files.
  CREATE TABLE record_checkpoint (
    sequence INTEGER PRIMARY KEY,
    hash TEXT NOT NULL,
    archived_at INTEGER NOT NULL
  ) STRICT;

  -- Of each archived intent what a request with the same key is checked by. It counts from its checkpoint on.
  CREATE TABLE archived_key (
    sequence INTEGER PRIMARY KEY,
    key_hash TEXT NOT NULL,
    person_id TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    outcome TEXT NOT NULL
  ) STRICT;
  CREATE INDEX archived_key_by_hash ON archived_key (key_hash);

  -- The approves that the desk keeps until the last one that is needed: of each person the newest.
  CREATE TABLE held_approval (
    work_id TEXT NOT NULL,
    approval_id TEXT NOT NULL,
    person_id TEXT NOT NULL,
    -- What was approved: the version, an int64, and the hash of the content.
    version TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    given_at INTEGER NOT NULL,
    -- The sequence of its row in the record.
    intent INTEGER NOT NULL,
    PRIMARY KEY (work_id, approval_id, person_id)
  ) STRICT;

  -- A last approve that is being sent to the service, by the sequence of its row in the record.
  CREATE TABLE sending_approval (
    intent INTEGER PRIMARY KEY,
    work_id TEXT NOT NULL,
    approval_id TEXT NOT NULL,
    key_hash TEXT NOT NULL,
    -- Grows while the desk that sends it lives.
    beats INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX sending_approval_of_item ON sending_approval (work_id, approval_id);

  -- The keys of approves that were withdrawn.
  CREATE TABLE withdrawn_key (
    key_hash TEXT PRIMARY KEY
  ) STRICT;

  -- What an archived intent was about: whose an upload is, and which approves and decisions there were.
  ALTER TABLE archived_key ADD COLUMN operation TEXT;
  ALTER TABLE archived_key ADD COLUMN work_id TEXT;
  ALTER TABLE archived_key ADD COLUMN item_id TEXT;
  CREATE INDEX archived_key_by_item ON archived_key (item_id) WHERE item_id IS NOT NULL;

  -- Whether an intent has an outcome, and the newest outcomes of a kind, without reading a row of the record.
  CREATE INDEX record_outcome_of_intent ON record (intent, outcome) WHERE outcome IS NOT NULL;
  CREATE INDEX record_by_outcome ON record (outcome, sequence) WHERE outcome IS NOT NULL;

  -- Only the newest done Works are loaded.
  ALTER TABLE known_work ADD COLUMN known_at INTEGER NOT NULL DEFAULT 0;
