import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Approval, Attention } from "../src/contract/resources.ts"
import type { Desk } from "./start-desk.ts"

/*
 * The API allows an item to change while a person reads it, and to hold any words and numbers. No operation and no colleague of ours
 * does that, so these functions write the service's store directly.
 */

type Table = "approval" | "attention"
type Changes = Readonly<Record<string, string | number | bigint | null>>

function withStore<Result>(desk: Desk, work: (store: DatabaseSync) => Result): Result {
  const store = new DatabaseSync(join(desk.dataFolder, "service.db"), { timeout: 5_000 })
  try {
    return work(store)
  } finally {
    store.close()
  }
}

/** Changes columns of a pending item, and increases its version as a service would. */
export function revise(desk: Desk, table: Table, id: string, changes: Changes): void {
  const columns = Object.keys(changes)
  const set = [...columns.map((name) => `${name} = ?`), "version = version + 1"].join(", ")
  withStore(desk, (store) =>
    store.prepare(`UPDATE ${table} SET ${set} WHERE id = ?`).run(...columns.map((name) => changes[name] ?? null), id),
  )
}

/** Makes an approval pending again in an older version, as a service does that was restored from its backup. */
export function restoreApproval(desk: Desk, id: string): void {
  withStore(desk, (store) =>
    store
      .prepare(
        "UPDATE approval SET status = 'pending', version = 1, resolution_actor = NULL, resolved_at = NULL WHERE id = ?",
      )
      .run(id),
  )
}

/** Gives a Work another title, as no operation of the API can. */
export function retitle(desk: Desk, workId: string, title: string): void {
  withStore(desk, (store) =>
    store.prepare("UPDATE work SET title = ?, version = version + 1 WHERE id = ?").run(title, workId),
  )
}

/** Deletes an item. */
export function remove(desk: Desk, table: Table, id: string): void {
  withStore(desk, (store) => store.prepare(`DELETE FROM ${table} WHERE id = ?`).run(id))
}

/** Lets the upload of this name be attached once more, as another service may do. */
export function releaseUpload(desk: Desk, name: string): void {
  withStore(desk, (store) =>
    store.prepare("UPDATE upload SET work_id = NULL, position = NULL WHERE name = ?").run(name),
  )
}

/** Adds `count` Works that no colleague works on. Returns their ids. */
export function addQuietWorks(desk: Desk, count: number): string[] {
  const ids = Array.from({ length: count }, (_, index) => `quiet-${index}`)
  withStore(desk, (store) => {
    const insert = store.prepare(
      `INSERT INTO work (id, account, owner, colleague_id, title, objective, visibility_scope, priority, status, version,
         executed_ms, created_at, updated_at)
       VALUES (?, 'sa_demo', 'owner_demo', 'courier', ?, 'Something to do', 'private', 'normal', 'working', 1, 0, ?, ?)`,
    )
    const now = Date.now()
    store.exec("BEGIN")
    for (const [index, id] of ids.entries()) insert.run(id, `Work ${index}`, now + index, now + index)
    store.exec("COMMIT")
  })
  return ids
}

let latestMoment = 0

/** Now, and later than every moment before: what is added first is the oldest, also within one millisecond. */
function nextMoment(): number {
  latestMoment = Math.max(Date.now(), latestMoment + 1)
  return latestMoment
}

/** Adds a pending approval to a Work, whose status and version follow unless `changesWork` is false. Returns its id. */
export function addApproval(
  desk: Desk,
  workId: string,
  fields: Partial<Record<keyof Approval, string | bigint>> = {},
  changesWork = true,
): string {
  const id = crypto.randomUUID()
  const letter = {
    summary: "Send the renewal letter to Halden Logistics",
    risk: "Commits the company to a 12-month term",
    destination: "contracts@halden-logistics.example",
    subject: "Renewal of framework agreement FA-2291 for 2027",
    body: "Dear Ms Oyelaran,\n\nour framework agreement FA-2291 ends on 31 December.",
    policy_reason: "External commitments above 10,000 need a named approver",
    requested_by_colleague: "courier",
    proposed_action_payload_hash: `sha256:${"9f2c41ae".repeat(8)}`,
    action_id: `act_${id}`,
    version: 1n,
    ...fields,
  }
  withStore(desk, (store) => {
    store
      .prepare(
        `INSERT INTO approval (id, work_id, action_id, requested_by_colleague, summary, risk, destination, subject, body,
           payload_hash, policy_reason, status, version, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?)`,
      )
      .run(
        id,
        workId,
        letter.action_id,
        letter.requested_by_colleague,
        letter.summary,
        letter.risk,
        letter.destination,
        letter.subject,
        letter.body,
        letter.proposed_action_payload_hash,
        letter.policy_reason,
        letter.version,
        nextMoment(),
      )
    if (changesWork)
      store.prepare("UPDATE work SET status = 'needs_you', version = version + 1 WHERE id = ?").run(workId)
  })
  return id
}

/** Adds an open clarification to a Work that has none. Returns its id. */
export function addAttention(
  desk: Desk,
  workId: string,
  fields: Partial<Record<keyof Attention, string | bigint>> = {},
): string {
  const id = crypto.randomUUID()
  const question = {
    title: "Two rows share invoice 4417. Which amount is right?",
    what_happened: "Rows 212 and 349 carry the same invoice number with different amounts.",
    why_needed: "The total to pay differs by 360.00.",
    recommended_action: "Keep 1,840.00: it matches the purchase order.",
    consequences: "The supplier stays out of this month's run.",
    version: 1n,
    ...fields,
  }
  withStore(desk, (store) => {
    store
      .prepare(
        `INSERT INTO attention (id, work_id, source_id, title, what_happened, why_needed, recommended_action, consequences,
           status, version, created_at)
         VALUES (?, ?, 'source', ?, ?, ?, ?, ?, 'open', ?, ?)`,
      )
      .run(
        id,
        workId,
        question.title,
        question.what_happened,
        question.why_needed,
        question.recommended_action,
        question.consequences,
        question.version,
        Date.now(),
      )
    store
      .prepare(
        `UPDATE work SET status = 'needs_you', version = version + 1, current_attention_id = ?, attention_question = ?
         WHERE id = ?`,
      )
      .run(id, question.title, workId)
  })
  return id
}
