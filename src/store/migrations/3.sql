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
