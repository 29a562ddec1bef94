  -- The keys that sign heads of the record. They all stay, because they verify the heads of their time.
  CREATE TABLE record_key (
    -- The highest number is the current key's.
    number INTEGER PRIMARY KEY,
    -- The public half: name, hash and key, as C2SP's signed-note writes it.
    verifier TEXT NOT NULL UNIQUE,
    -- The private half in PEM form. NULL: it is in a file, or in the row of the same key under an earlier name.
    private_key TEXT,
    since INTEGER NOT NULL
  ) STRICT;

  -- The signed heads of the last 30 days, which are not in the chain.
  CREATE TABLE record_head (
    number INTEGER PRIMARY KEY,
    -- The last row that the head is about.
    sequence INTEGER NOT NULL,
    note TEXT NOT NULL,
    signed_at INTEGER NOT NULL,
    -- Failed attempts to send the note to RECORD_HEADS_URL, when the next one is due, and the last answer.
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL DEFAULT 0,
    answer TEXT,
    sent_at INTEGER
  ) STRICT;
  CREATE INDEX record_head_unsent ON record_head (number) WHERE sent_at IS NULL;

  -- own_notice, notice_desk.recorded_until and (on PostgreSQL) keep_attempt stay: a desk of schema 4 that shares the store during an upgrade reads
  -- own_notice.
