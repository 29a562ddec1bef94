/**
 * Entry n changes a database from `user_version` n to n + 1. A released entry never changes. Before you add an entry, keep a data folder of the
 * last schema for the tests (src/service/testing/released). Times are milliseconds since 1970. `number` is the order of creation.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE upload (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    content BLOB NOT NULL,
    content_hash TEXT NOT NULL,
    processing_state TEXT NOT NULL CHECK (processing_state IN ('processing', 'available', 'quarantined', 'scan_failed')),
    failure_code TEXT,
    detected_type TEXT,
    scans INTEGER NOT NULL,
    queued_at INTEGER NOT NULL,
    work_id TEXT,
    position INTEGER,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX upload_scanning ON upload (queued_at) WHERE processing_state = 'processing';
  CREATE INDEX upload_of_work ON upload (work_id, position) WHERE work_id IS NOT NULL;

  CREATE TABLE work (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account TEXT NOT NULL,
    owner TEXT NOT NULL,
    colleague_id TEXT NOT NULL,
    title TEXT NOT NULL,
    objective TEXT NOT NULL,
    visibility_scope TEXT NOT NULL CHECK (visibility_scope IN ('private', 'team', 'organization')),
    priority TEXT NOT NULL CHECK (priority IN ('low', 'normal', 'high', 'urgent')),
    due_at TEXT,
    status TEXT NOT NULL CHECK (status IN ('working', 'needs_you', 'paused', 'done')),
    version INTEGER NOT NULL,
    current_attention_id TEXT,
    attention_question TEXT,
    completion_summary TEXT,
    execution_limit_ms INTEGER,
    executed_ms INTEGER NOT NULL,
    executing_since INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX work_newest ON work (account, created_at DESC, number DESC);
  CREATE INDEX work_newest_by_status ON work (account, status, created_at DESC, number DESC);
  CREATE INDEX work_unfinished ON work (status) WHERE status <> 'done';

  CREATE TABLE attention (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    work_id TEXT NOT NULL,
    source_id TEXT NOT NULL,
    title TEXT NOT NULL,
    what_happened TEXT NOT NULL,
    why_needed TEXT NOT NULL,
    recommended_action TEXT NOT NULL,
    consequences TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('open', 'resolved')),
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    resolved_at INTEGER,
    resolved_by TEXT,
    resolution TEXT
  ) STRICT;
  CREATE INDEX attention_of_work ON attention (work_id, number);

  CREATE TABLE approval (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    work_id TEXT NOT NULL,
    action_id TEXT NOT NULL,
    requested_by_colleague TEXT NOT NULL,
    summary TEXT NOT NULL,
    risk TEXT NOT NULL,
    destination TEXT NOT NULL,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    payload_hash TEXT NOT NULL,
    policy_reason TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'declined')),
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    resolved_at INTEGER,
    resolution_actor TEXT,
    resolution_comment TEXT
  ) STRICT;
  CREATE INDEX approval_of_work ON approval (work_id, number);

  CREATE TABLE artifact (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    work_id TEXT NOT NULL,
    path TEXT NOT NULL,
    version INTEGER NOT NULL,
    media_type TEXT NOT NULL,
    content BLOB NOT NULL,
    size INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    processing_state TEXT NOT NULL CHECK
      (processing_state IN ('processing', 'available', 'quarantined', 'scan_failed', 'failed', 'expired')),
    failure_code TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (work_id, path, version)
  ) STRICT;
  CREATE INDEX artifact_of_work ON artifact (work_id, number);

  -- Append-only. The sequence of each Work starts at 1, and no sequence is used twice.
  CREATE TABLE event (
    work_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    type TEXT NOT NULL,
    payload TEXT NOT NULL,
    occurred_at INTEGER NOT NULL,
    PRIMARY KEY (work_id, sequence)
  ) STRICT, WITHOUT ROWID;

  -- The steps that a colleague has taken, so that no step is taken twice (execution/journal.ts).
  CREATE TABLE step (
    work_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    result TEXT NOT NULL,
    PRIMARY KEY (work_id, number)
  ) STRICT, WITHOUT ROWID;

  -- The successful answers, kept for their retries (admission/idempotency.ts).
  CREATE TABLE idempotency (
    account TEXT NOT NULL,
    operation TEXT NOT NULL,
    key TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    status INTEGER NOT NULL,
    body TEXT NOT NULL,
    etag TEXT,
    location TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account, operation, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_age ON idempotency (created_at);
  `,
  `
  -- Execution time is no longer derived from two clock times. As before, the time of a killed process counts up to the last event.
  UPDATE work SET executed_ms = executed_ms + max(0, coalesce(
    (SELECT max(occurred_at) FROM event WHERE work_id = work.id), 0) - executing_since)
    WHERE executing_since IS NOT NULL;
  ALTER TABLE work DROP COLUMN executing_since;

  -- A Work whose colleague may not run before the owner has answered a question of the service (execution/service-question.ts).
  ALTER TABLE work ADD COLUMN hold TEXT CHECK (hold IN ('changed', 'missing', 'lost'));
  ALTER TABLE work ADD COLUMN hold_attention_id TEXT;
  ALTER TABLE work ADD COLUMN worker_losses INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX work_finished ON work (updated_at) WHERE status = 'done';
  CREATE INDEX upload_unused ON upload (expires_at) WHERE work_id IS NULL;

  -- A letter is sent in the transaction of its event. Its file is written afterwards (execution/letter-outbox.ts).
  ALTER TABLE approval ADD COLUMN sent_at INTEGER;
  ALTER TABLE approval ADD COLUMN written_at INTEGER;
  UPDATE approval SET sent_at = (SELECT occurred_at FROM event WHERE event.work_id = approval.work_id
    AND type = 'letter.sent' AND json_extract(payload, '$.action_id') = action_id);
  UPDATE approval SET written_at = sent_at;
  CREATE INDEX approval_unwritten ON approval (sent_at) WHERE sent_at IS NOT NULL AND written_at IS NULL;

  -- The steps of every earlier process were taken by the first version of each colleague.
  ALTER TABLE step ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE step ADD COLUMN arguments TEXT;
  UPDATE step SET arguments = (SELECT json_object('title', title, 'what_happened', what_happened, 'why_needed', why_needed,
    'recommended_action', recommended_action, 'consequences', consequences) FROM attention WHERE id = step.result)
    WHERE kind = 'ask';
  UPDATE step SET arguments = (SELECT json_object('destination', destination) FROM approval WHERE id = step.result)
    WHERE kind = 'requestApproval';
  UPDATE step SET arguments = (SELECT json_object('destination', destination) FROM approval WHERE action_id = step.result)
    WHERE kind = 'send';
  UPDATE step SET arguments = (SELECT json_object('path', path, 'content_hash', content_hash) FROM artifact
    WHERE id = step.result) WHERE kind = 'deliver';
  `,
  `
  -- Retention removes paused Work, too.
  DROP INDEX work_finished;
  CREATE INDEX work_over ON work (updated_at) WHERE status IN ('done', 'paused');

  -- The configuration's \`demonstration\` when the Work was delegated. NULL: the Work is older than this column.
  ALTER TABLE work ADD COLUMN demonstration INTEGER;
  `,
]
