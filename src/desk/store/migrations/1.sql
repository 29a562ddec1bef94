  CREATE TABLE person (
    -- Random, because a hash of the subject could be guessed.
    id TEXT PRIMARY KEY,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    name TEXT NOT NULL,
    -- Only an address that the provider has verified.
    email TEXT,
    -- Of the person's last sign-in: a JSON array of names.
    member_groups TEXT NOT NULL,
    signed_in_at INTEGER NOT NULL,
    UNIQUE (issuer, subject)
  ) STRICT;

  CREATE TABLE session (
    -- The SHA-256 of the cookie's value.
    id TEXT PRIMARY KEY,
    person_id TEXT NOT NULL,
    -- The provider's name for its session, for Back-Channel Logout.
    sid TEXT,
    -- When the person proved who they are, in seconds since 1970 as the ID token says it.
    auth_time INTEGER,
    began_at INTEGER NOT NULL,
    -- The person's last input.
    touched_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX session_of_person ON session (person_id);
  CREATE INDEX session_by_sid ON session (sid);

  CREATE TABLE sign_in (
    -- The SHA-256 of the state.
    id TEXT PRIMARY KEY,
    sealed TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE used_logout_token (
    jti TEXT PRIMARY KEY,
    expires_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE saved_views (
    person_id TEXT PRIMARY KEY,
    views TEXT NOT NULL
  ) STRICT;

  -- Append-only: `entry` is the row, `hash` its SHA-256; the other columns are copies from it, to search by.
  CREATE TABLE record (
    sequence INTEGER PRIMARY KEY,
    entry TEXT NOT NULL,
    hash TEXT NOT NULL,
    -- The sequence of the intent that an outcome belongs to; an intent's own.
    intent INTEGER NOT NULL,
    at INTEGER NOT NULL,
    person_id TEXT,
    operation TEXT,
    work_id TEXT,
    item_id TEXT,
    key_hash TEXT,
    outcome TEXT
  ) STRICT;
  CREATE INDEX record_of_intent ON record (intent, sequence);
  CREATE INDEX record_by_key ON record (key_hash) WHERE key_hash IS NOT NULL;
  CREATE INDEX record_by_person ON record (person_id, sequence) WHERE person_id IS NOT NULL;
  CREATE INDEX record_by_work ON record (work_id, sequence) WHERE work_id IS NOT NULL;
  CREATE INDEX record_by_operation ON record (operation, at, sequence) WHERE operation IS NOT NULL;
  CREATE INDEX record_by_item ON record (item_id, sequence) WHERE item_id IS NOT NULL;

  CREATE TABLE known_approval (
    work_id TEXT NOT NULL,
    approval_id TEXT NOT NULL,
    destination TEXT NOT NULL,
    colleague TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at TEXT NOT NULL,
    resolved_at TEXT,
    -- When this desk read the approval for the first time.
    known_at INTEGER NOT NULL,
    PRIMARY KEY (work_id, approval_id)
  ) STRICT;

  -- Work that is done and was read to its end: its approvals are in known_approval.
  CREATE TABLE known_work (
    work_id TEXT PRIMARY KEY,
    version TEXT NOT NULL
  ) STRICT;
