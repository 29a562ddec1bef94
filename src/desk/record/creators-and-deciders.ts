/** The table `work_person`: who created a Work, in which teams, and who decided. Archiving keeps it. Its column for the action is called `deed`. */
import * as v from "valibot"
import type { RecordOperation } from "../../contract/desk-work.ts"
import type { Access } from "../people/access-file.ts"
import type { Session } from "../people/people-interface.ts"
import { teamsOf } from "../people/visibility.ts"
import type { Reader, Statements } from "../store/database.ts"
import { inChunks, optional, placesFor, select, upsert } from "../store/tables.ts"
import { OUTCOME } from "./gate/attempt-state.ts"
import type { IntentRow, OutcomeRow } from "./record-rows.ts"

export type PeopleOfWork = {
  /** Each creator's id, with the names of their teams. Undefined teams: an older desk stored the creation, or the file had no teams. */
  readonly creators: ReadonlyMap<string, readonly string[] | undefined>
  readonly deciders: ReadonlySet<string>
}

export const NOBODY: PeopleOfWork = { creators: new Map(), deciders: new Set() }

/** What a person did in a Work. */
const actionRow = v.object({
  workId: v.string(),
  personId: v.string(),
  action: v.string(),
  /** Only for a creator. */
  teams: optional(v.pipe(v.string(), v.parseJson(), v.array(v.string()))),
})

type ActionRow = v.InferOutput<typeof actionRow>

/** How many Works one statement reads. */
export const WORKS_PER_READ = 50

/** Stores who created a Work, or decided about it. Call this in the transaction that stores the outcome. */
export async function keepAction(
  statements: Statements,
  { person, identity }: Session,
  access: Access,
  intent: IntentRow,
  outcome: Omit<OutcomeRow, "intent">,
): Promise<void> {
  const action = ACTIONS[intent.operation]
  const workId = outcome.work_id ?? intent.work_id
  if (outcome.outcome !== "recorded" || action === undefined || workId === undefined || person.id === "local") return
  const keepsTeams = action === "creator" && access.visibility?.teams !== undefined
  const teams = keepsTeams ? JSON.stringify(teamsOf(identity, access)) : undefined
  const options = { key: ["workId", "personId", "deed"], kept: ["teams"] }
  await upsert(statements, "work_person", options, { workId, personId: person.id, deed: action, teams })
}

const ACTIONS: Partial<Record<RecordOperation, string>> = { createWork: "creator", resolveWorkApproval: "decider" }

/**
 * SQL: the actions in some Works. `|| ''` keeps SQLite from searching by the outcome or operation that nearly all rows share. During a rolling upgrade
 * a desk of an older version still runs, whose actions are only in the record.
 */
const selectActions = (works: string) => `
  SELECT work_id, person_id, deed AS action, teams FROM work_person WHERE work_id IN ${works}
  UNION ALL SELECT answered.work_id, asked.person_id, 'creator', NULL
    FROM record AS answered JOIN record AS asked ON asked.sequence = answered.intent
    WHERE answered.work_id IN ${works} AND answered.outcome || '' = 'recorded' AND asked.operation || '' = 'createWork' AND asked.person_id <> 'local'
  UNION ALL SELECT work_id, person_id, 'decider', NULL FROM record AS asked
    WHERE work_id IN ${works} AND operation || '' = 'resolveWorkApproval' AND person_id <> 'local' AND ${OUTCOME} = 'recorded'
  ORDER BY work_id, person_id, action`

/** Reads who created some Works and who decided about them. A Work without known people is left out. */
export async function peopleOf(store: Reader, workIds: readonly string[]): Promise<ReadonlyMap<string, PeopleOfWork>> {
  const found = new Map<string, PeopleOfWork>()
  for (const some of inChunks(workIds, WORKS_PER_READ)) {
    const sql = selectActions(`(${placesFor(some)})`)
    const rows = await select(store, actionRow, sql, ...some, ...some, ...some)
    for (const row of rows) found.set(row.workId, withAction(found.get(row.workId) ?? NOBODY, row))
  }
  return found
}

function withAction({ creators, deciders }: PeopleOfWork, { personId, action, teams }: ActionRow): PeopleOfWork {
  return action === "decider"
    ? { creators, deciders: new Set([...deciders, personId]) }
    : { creators: new Map([...creators, [personId, creators.get(personId) ?? teams]]), deciders }
}
