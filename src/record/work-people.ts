/**
 * Who created a Work at this desk, in which teams they were then, and who decided its approvals. The table `work_person` keeps these deeds
 * when the record is archived. `WorkPeople` has them in memory, and reads only what is new in the record.
 */
import * as v from "valibot"
import type { RecordOperation } from "../contract/desk-work.ts"
import type { Access } from "../people/access-file.ts"
import type { Session } from "../people/people.ts"
import { teamsOf } from "../people/visibility.ts"
import type { Database, Reader, Statements } from "../store/database.ts"
import { optional, select, selectInPages, upsert } from "../store/tables.ts"
import { readCheckpoint, readHead } from "./hash-chain.ts"
import type { IntentRow, OutcomeRow } from "./rows.ts"
import { sharedRuns } from "./shared-runs.ts"

export type PeopleOfWork = {
  /** Each creator's id, with the names of their teams. Undefined teams: an older desk stored the creation, or the file had no teams. */
  readonly creators: ReadonlyMap<string, readonly string[] | undefined>
  readonly deciders: ReadonlySet<string>
}

export const NOBODY: PeopleOfWork = { creators: new Map(), deciders: new Set() }

/** What a person did, as the table `work_person` has it. */
const deedRow = v.object({
  workId: v.string(),
  personId: v.string(),
  deed: v.string(),
  /** Of a creator. */
  teams: optional(v.pipe(v.string(), v.parseJson(), v.array(v.string()))),
})

type Deed = v.InferOutput<typeof deedRow>

const unkeptRow = v.object({ ...deedRow.entries, kept: v.nullable(v.string()) })

/** How long a createWork may be on its way. After this time its outcome is stored, or its process was killed. */
const UNDER_WAY_MS = 60_000
/**
 * How long the store is not read again while its only desk has changed nothing. After that time it is read all the same, because a desk that
 * ends may use the file a little longer than its successor has begun.
 */
const UNCHANGED_MS = 1_000
/** How much the service's clock may differ from the desk's. */
const CLOCKS_DIFFER_MS = 10_000

/** The recorded deeds whose outcome rows have a sequence above the first value, up to the second. */
const RECORDED_DEEDS = `
  SELECT DISTINCT coalesce(answered.work_id, asked.work_id) AS work_id, asked.person_id AS person_id,
    CASE asked.operation WHEN 'createWork' THEN 'creator' ELSE 'decider' END AS deed
  FROM record AS answered JOIN record AS asked ON asked.sequence = answered.intent
  WHERE answered.sequence > ? AND answered.sequence <= ? AND answered.outcome = 'recorded'
    AND asked.operation IN ('createWork', 'resolveWorkApproval') AND asked.person_id <> 'local'
    AND coalesce(answered.work_id, asked.work_id) IS NOT NULL`

/** Stores who created a Work, or decided about it. Call this in the transaction that stores the outcome. */
export async function keepDeed(
  statements: Statements,
  { person, identity }: Session,
  access: Access,
  intent: IntentRow,
  outcome: Omit<OutcomeRow, "intent">,
): Promise<void> {
  const deed = DEEDS[intent.operation]
  const workId = outcome.work_id ?? intent.work_id
  if (outcome.outcome !== "recorded" || deed === undefined || workId === undefined || person.id === "local") return
  const keepsTeams = deed === "creator" && access.visibility?.teams !== undefined
  const teams = keepsTeams ? JSON.stringify(teamsOf(identity, access)) : undefined
  const options = { key: ["workId", "personId", "deed"], kept: ["teams"] }
  await upsert(statements, "work_person", options, { workId, personId: person.id, deed, teams })
}

const DEEDS: Partial<Record<RecordOperation, string>> = { createWork: "creator", resolveWorkApproval: "decider" }

/** How many rows of the record one statement looks at, so that it neither blocks a desk nor reaches the time limit of a statement. */
const STEP_ROWS = 10_000

/** Stores the deeds after row `from` up to row `until` that a desk of an older version has recorded without `keepDeed`. */
export async function keepRecordedDeeds({ write }: Statements, from: number, until: number): Promise<void> {
  const sql = `INSERT INTO work_person (work_id, person_id, deed, teams)
    SELECT work_id, person_id, deed, NULL FROM (${RECORDED_DEEDS}) AS deeds WHERE true ON CONFLICT DO NOTHING`
  for (let after = from; after < until; after += STEP_ROWS) await write(sql, after, Math.min(after + STEP_ROWS, until))
}

/** Reads who created one Work and who decided about it, for a command that has no `WorkPeople`. */
export async function peopleOfWork(store: Reader, workId: string): Promise<PeopleOfWork> {
  return (await select(store, deedRow, "SELECT * FROM work_person WHERE work_id = ?", workId)).reduce(withDeed, NOBODY)
}

function withDeed({ creators, deciders }: PeopleOfWork, { personId, deed, teams }: Deed): PeopleOfWork {
  return deed === "decider"
    ? { creators, deciders: new Set([...deciders, personId]) }
    : { creators: new Map([...creators, [personId, teams]]), deciders }
}

export class WorkPeople {
  /** Grows with every deed that is read, and when other createWorks are on their way. */
  version = 0
  /** Everything that was recorded until then has been read. Milliseconds since 1970. */
  readAt = Number.NEGATIVE_INFINITY
  /** Reads what is new, if anything can be new. Calls at the same time share a read that begins after them. @throws StoreUnavailableError */
  readonly refresh = sharedRuns(() => this.#read())
  readonly #database: Database
  readonly #works = new Map<string, PeopleOfWork>()
  /** Works with the same people share one object, because a desk may know half a million Works. By the people as JSON. */
  readonly #shared = new Map<string, PeopleOfWork>()
  readonly #worksOf = new Map<string, Set<string>>()
  /** When each createWork was sent whose outcome is not stored. Milliseconds since 1970. */
  #underWay: readonly number[] = []
  /** The last row of the record that was read. Undefined before the first read. */
  #sequence: number | undefined
  /** When the last read of the store began, and how many changes the desk had made then. */
  #lastRead: { readonly at: number; readonly changes: number | undefined } = { at: 0, changes: undefined }

  constructor(database: Database) {
    this.#database = database
  }

  /** Who created a Work and decided about it, as far as the store was read. */
  of(workId: string): PeopleOfWork {
    return this.#works.get(workId) ?? NOBODY
  }

  /** Whether anybody created the Work here or decided about it. */
  hasHeardOf(workId: string): boolean {
    return this.#works.has(workId)
  }

  /** The ids of the Works that a person created or decided about. */
  worksOf(personId: string): ReadonlySet<string> {
    return this.#worksOf.get(personId) ?? new Set()
  }

  /**
   * Whether somebody at this desk may have created a Work without a known creator: the store was not read since the Work became known, or a
   * createWork is on its way that may be the Work's. `createdAt` and `knownAt` are milliseconds since 1970.
   */
  isUnsettled(createdAt: number, knownAt: number): boolean {
    if (this.readAt < knownAt) return true
    // Negated, so that a time which cannot be read (NaN) counts as unsettled.
    return this.#underWay.some((sentAt) => !(createdAt < sentAt - CLOCKS_DIFFER_MS))
  }

  async #read(): Promise<void> {
    const readAt = Date.now()
    if (!this.#mayHaveNews(readAt)) {
      this.readAt = readAt
      return
    }
    const { read, changes } = this.#database
    const lastRead = { at: readAt, changes: changes?.() }
    const rows = await read(
      `SELECT max(sequence) AS head, NULL AS sent_at FROM record
       UNION ALL SELECT NULL, at FROM record AS creation WHERE operation = 'createWork' AND at > ? AND NOT EXISTS
         (SELECT 1 FROM record WHERE intent = creation.sequence AND outcome IS NOT NULL)`,
      readAt - UNDER_WAY_MS,
    )
    const ends = rows.find((row) => row["sent_at"] === null)
    const until = Number(ends?.["head"] ?? 0)
    if (this.#sequence === undefined) await this.#load()
    else if (until > this.#sequence) await this.#readNew(this.#sequence, until)
    this.#sequence = until
    const sentAt = rows.flatMap(({ sent_at: at }) => (at === null ? [] : [Number(at)]))
    if (String(sentAt) !== String(this.#underWay)) this.version++
    this.#underWay = sentAt
    this.#lastRead = lastRead
    this.readAt = readAt
  }

  /** Whether the store may have what was not read. Of a shared store nobody knows, so it is read each time. */
  #mayHaveNews(now: number): boolean {
    const { at, changes } = this.#lastRead
    return changes === undefined || changes !== this.#database.changes?.() || now - at >= UNCHANGED_MS
  }

  /** Reads all that is stored. During a rolling upgrade, desks of an older version go on after the migration that has filled the table. */
  async #load(): Promise<void> {
    const [first, last] = [await readCheckpoint(this.#database), await readHead(this.#database)]
    if (this.#database.isShared) await keepRecordedDeeds(this.#database, first.sequence, last.sequence)
    const sql = `SELECT * FROM work_person WHERE (work_id, person_id, deed) > (?, ?, ?) ORDER BY work_id, person_id, deed`
    const after = (last?: Deed) => [last?.workId ?? "", last?.personId ?? "", last?.deed ?? ""]
    for await (const row of selectInPages(this.#database, deedRow, sql, after)) this.#add(row)
  }

  async #readNew(from: number, until: number): Promise<void> {
    const rows = await select(
      this.#database,
      unkeptRow,
      `SELECT deeds.work_id, deeds.person_id, deeds.deed, kept.teams, kept.work_id AS kept
       FROM (${RECORDED_DEEDS}) AS deeds LEFT JOIN work_person AS kept ON kept.work_id = deeds.work_id
         AND kept.person_id = deeds.person_id AND kept.deed = deeds.deed`,
      from,
      until,
    )
    for (const row of rows) this.#add(row)
    const hasUnkept = rows.some(({ kept }) => kept === null)
    if (hasUnkept) await keepRecordedDeeds(this.#database, from, until)
  }

  #add(row: Deed): void {
    const people = withDeed(this.of(row.workId), row)
    const key = JSON.stringify([[...people.creators], [...people.deciders]])
    const shared = this.#shared.get(key) ?? people
    this.#shared.set(key, shared)
    this.#works.set(row.workId, shared)
    const works = this.#worksOf.get(row.personId) ?? new Set()
    this.#worksOf.set(row.personId, works.add(row.workId))
    this.version++
  }
}
