/** The approves that the desk holds (`docs/operating.md`, "Several approvals"): their tables, and which of them count now. */
import type { Access } from "../../people/access-file.ts"
import * as v from "valibot"
import { type KnownPerson, nameOf, readPeople } from "../../people/directory.ts"
import { type AskedApproval, type Creation, mayApproveBy, rulesFor } from "../../people/rules/rules.ts"
import type { Reader, Statements } from "../../store/database.ts"
import { placesFor, select, upsert } from "../../store/tables.ts"
import type { IntentRow, OutcomeRow } from "../record-rows.ts"
import { NOBODY, peopleOf } from "../creators-and-deciders.ts"

/** An approval by its ids. */
export type ApprovalId = { readonly workId: string; readonly approvalId: string }

/** What an approve is about: exactly this version with this content. */
export type ApprovalContent = {
  readonly version: string
  /** A function, because the hash is needed only if somebody has approved the version. */
  readonly contentHash: () => string
  /** What the rules look at. `rulesFor` keeps the rules by this object, so the watcher, which looks often, returns the same one each time. */
  readonly asked: AskedApproval
}

const heldRow = v.object({
  workId: v.string(),
  approvalId: v.string(),
  personId: v.string(),
  version: v.string(),
  contentHash: v.string(),
  /** Milliseconds since 1970. */
  givenAt: v.number(),
  /** The sequence of the approve's intent row. */
  intent: v.number(),
})

type HeldRow = Readonly<v.InferOutput<typeof heldRow>>

/** An approve that the desk holds. */
export type HeldApprove = HeldRow & {
  readonly name: string
  /** Undefined when the desk has forgotten the person. */
  readonly person: KnownPerson | undefined
  readonly creation: Creation
}

const lostRow = v.object({ personId: v.string() })

/** The approves of one approval, oldest first. */
export function readHeld(store: Reader, { workId, approvalId }: ApprovalId): Promise<readonly HeldApprove[]> {
  return readWhere(store, "WHERE work_id = ? AND approval_id = ?", workId, approvalId)
}

/** All approves that the desk holds, by `heldKey`, each list oldest first. */
export async function readAllHeld(store: Reader): Promise<ReadonlyMap<string, readonly HeldApprove[]>> {
  return Map.groupBy(await readWhere(store, ""), heldKey)
}

export const heldKey = ({ workId, approvalId }: ApprovalId) => JSON.stringify([workId, approvalId])

/** Reads the approves that match, their people, who created their Works, and whose createWork was lost: four statements, however many match. */
async function readWhere(store: Reader, where: string, ...values: readonly string[]): Promise<readonly HeldApprove[]> {
  const held = await select(store, heldRow, `SELECT * FROM held_approval ${where} ORDER BY given_at`, ...values)
  if (held.length === 0) return []
  const givers = `(SELECT person_id FROM held_approval ${where})`
  const found = await readPeople(store, `WHERE id IN ${givers}`, ...values)
  const people = new Map(found.map((person) => [person.id, person]))
  const peopleOfWorks = await peopleOf(store, [...new Set(held.map(({ workId }) => workId))])
  const lostOf = `SELECT DISTINCT person_id FROM open_creation WHERE person_id IN ${givers}`
  const haveLost = new Set((await select(store, lostRow, lostOf, ...values)).map(({ personId }) => personId))
  return held.map((row) => {
    const person = people.get(row.personId)
    const { creators } = peopleOfWorks.get(row.workId) ?? NOBODY
    const creation = { creators, mayHaveLostCreation: haveLost.has(row.personId) }
    return { ...row, name: nameOf(row.personId, person?.name), person, creation }
  })
}

/** The approves that count now: of exactly this version with this content, by persons who still have the role and satisfy every rule. */
export function countingOf(
  held: readonly HeldApprove[],
  content: ApprovalContent,
  access: Access,
): readonly HeldApprove[] {
  const ofVersion = held.filter(({ version }) => version === content.version)
  if (ofVersion.length === 0) return []
  const rules = rulesFor(access, content.asked)
  const contentHash = content.contentHash()
  return ofVersion.filter(({ person, creation, ...approve }) => {
    if (person === undefined || approve.contentHash !== contentHash) return false
    return mayApproveBy(access, rules, person, creation)
  })
}

/** Stores an approve that the desk holds. A person's newest approve replaces an older one. */
export async function storeHeld(statements: Statements, held: HeldRow): Promise<void> {
  await upsert(statements, "held_approval", { key: ["workId", "approvalId", "personId"] }, held)
}

/** After the outcome `recorded` of a decision, the approval's held approves go. */
export async function settleHeld(
  statements: Statements,
  { operation, work_id: workId, item_id: approvalId }: IntentRow,
  { outcome }: Pick<OutcomeRow, "outcome">,
): Promise<void> {
  if (operation !== "resolveWorkApproval" || workId === undefined || approvalId === undefined) return
  if (outcome !== "recorded") return
  await statements.write("DELETE FROM held_approval WHERE work_id = ? AND approval_id = ?", workId, approvalId)
}

/** Removes these approves, and none that a person has given in their place since. */
export async function removeHeld({ write }: Statements, held: readonly HeldApprove[]): Promise<void> {
  await write(`DELETE FROM held_approval WHERE intent IN (${placesFor(held)})`, ...held.map(({ intent }) => intent))
}
