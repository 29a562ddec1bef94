/** The approves that the desk holds (`docs/operating.md`, "Several approvals"): their tables, and which of them count now. */
import type { Access } from "../../people/access.ts"
import { type KnownPerson, PERSON_COLUMNS, toPerson } from "../../people/directory.ts"
import { type AskedApproval, type Creation, rulesFor, unmetDemands } from "../../people/rules/rules.ts"
import type { Reader, Row, Statements } from "../../store/database.ts"
import { nameOf } from "../entries.ts"
import type { IntentRow, OutcomeRow } from "../rows.ts"

/** An approval by its ids. */
export type ApprovalId = { readonly workId: string; readonly approvalId: string }

/** What an approve is about: exactly this version with this content. */
export type ApprovalContent = {
  readonly version: string
  /** A function, because the hash is needed only when somebody has approved the version. */
  readonly contentHash: () => string
  /** What the rules look at. `rulesFor` keeps the rules by this object, so the watcher, which looks often, gives the same one each time. */
  readonly asked: AskedApproval
}

/** An approve that the desk holds. */
export type HeldApproval = ApprovalId & {
  readonly personId: string
  readonly name: string
  /** Undefined when the desk has forgotten the person. */
  readonly person: KnownPerson | undefined
  readonly version: string
  readonly contentHash: string
  /** Milliseconds since 1970. */
  readonly givenAt: number
  /** The sequence of the approve's intent row. */
  readonly intent: number
  readonly creation: Creation
}

const HELD = `SELECT held.work_id, held.approval_id, held.person_id, held.version, held.content_hash, held.given_at, held.intent,
    ${PERSON_COLUMNS}
  FROM held_approval AS held LEFT JOIN person ON person.id = held.person_id`

/** The approves of one approval, oldest first. */
export function readHeld(store: Reader, { workId, approvalId }: ApprovalId): Promise<readonly HeldApproval[]> {
  return readWhere(store, "WHERE held.work_id = ? AND held.approval_id = ?", workId, approvalId)
}

/** All approves that the desk holds, by `heldKey`, each list oldest first. */
export async function readAllHeld(store: Reader): Promise<ReadonlyMap<string, readonly HeldApproval[]>> {
  return Map.groupBy(await readWhere(store, ""), heldKey)
}

export const heldKey = ({ workId, approvalId }: ApprovalId) => JSON.stringify([workId, approvalId])

/** Reads the approves that match, then who created their Works, and whose createWork was lost: three statements, however many match. */
async function readWhere(
  { read }: Reader,
  where: string,
  ...values: readonly string[]
): Promise<readonly HeldApproval[]> {
  const rows = await read(`${HELD} ${where} ORDER BY given_at`, ...values)
  if (rows.length === 0) return []
  const creators = await read(
    `SELECT work_id, person_id FROM work_person
     WHERE deed = 'creator' AND work_id IN (SELECT work_id FROM held_approval AS held ${where})`,
    ...values,
  )
  const lost = await read(
    `SELECT DISTINCT person_id FROM open_creation WHERE person_id IN (SELECT person_id FROM held_approval AS held ${where})`,
    ...values,
  )
  const creatorsOf = Map.groupBy(creators, (row) => row["work_id"])
  const haveLost = new Set(lost.map((row) => row["person_id"]))
  return rows.map((row) => {
    const workCreators = creatorsOf.get(row["work_id"]) ?? []
    return toHeld(row, {
      creators: new Set(workCreators.map((creator) => String(creator["person_id"]))),
      mayHaveLostCreation: haveLost.has(row["person_id"]),
    })
  })
}

function toHeld(row: Row, creation: Creation): HeldApproval {
  const personId = String(row["person_id"])
  return {
    workId: String(row["work_id"]),
    approvalId: String(row["approval_id"]),
    personId,
    name: nameOf(personId, row["name"]),
    person: row["id"] === null ? undefined : toPerson(row),
    version: String(row["version"]),
    contentHash: String(row["content_hash"]),
    givenAt: Number(row["given_at"]),
    intent: Number(row["intent"]),
    creation,
  }
}

/**
 * The approves that count now: of exactly this version with this content, by persons who still have the role and satisfy every rule. The age of
 * a person's sign-in was checked when the person approved, and is not checked again.
 */
export function countingOf(
  held: readonly HeldApproval[],
  content: ApprovalContent,
  access: Access,
): readonly HeldApproval[] {
  const ofVersion = held.filter(({ version }) => version === content.version)
  if (ofVersion.length === 0) return []
  const rules = rulesFor(access, content.asked)
  const contentHash = content.contentHash()
  return ofVersion.filter(({ person, creation, ...approve }) => {
    if (person === undefined || approve.contentHash !== contentHash) return false
    const approver = { id: person.id, identity: person.identity, authenticatedAt: undefined }
    return unmetDemands(access, rules, approver, creation, 0).every(({ need }) => need === "sign-in")
  })
}

/** Stores an approve that the desk holds. A person's newest approve replaces an older one. */
export async function storeHeld(
  { write }: Statements,
  held: Omit<HeldApproval, "name" | "person" | "creation">,
): Promise<void> {
  const { workId, approvalId, personId, version, contentHash, givenAt, intent } = held
  const values = [workId, approvalId, personId, version, contentHash, givenAt, intent]
  await write(
    `INSERT INTO held_approval (work_id, approval_id, person_id, version, content_hash, given_at, intent)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (work_id, approval_id, person_id) DO UPDATE SET version = excluded.version,
       content_hash = excluded.content_hash, given_at = excluded.given_at, intent = excluded.intent`,
    ...values,
  )
}

/** After the outcome `recorded` of a decision, the approval's held approves go. */
export async function settleHeld(
  statements: Statements,
  { operation, work_id: workId, item_id: approvalId }: IntentRow,
  { outcome }: Pick<OutcomeRow, "outcome">,
): Promise<void> {
  if (operation !== "resolveWorkApproval" || workId === undefined || approvalId === undefined) return
  if (outcome !== "recorded") return
  await removeApprovesOf(statements, { workId, approvalId })
}

/** Removes all approves of an approval that is decided. */
export async function removeApprovesOf(
  { write }: Pick<Statements, "write">,
  { workId, approvalId }: ApprovalId,
): Promise<void> {
  await write("DELETE FROM held_approval WHERE work_id = ? AND approval_id = ?", workId, approvalId)
}
