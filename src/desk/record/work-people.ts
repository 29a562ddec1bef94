/**
 * Who created a Work at this desk, in which teams they were then, and who decided its approvals. The table `work_person` keeps these actions
 * when the record is archived; its column is called `deed`. `WorkPeople` reads the Works that somebody asks for, and caches those that were
 * asked for last.
 */
import * as v from "valibot"
import type { RecordOperation } from "../../contract/desk-work.ts"
import type { Access } from "../people/access-file.ts"
import type { Session } from "../people/people-interface.ts"
import { teamsOf } from "../people/visibility.ts"
import { Turns } from "../../platform/turns.ts"
import type { Database, Reader, Statements } from "../store/database.ts"
import { optional, select, upsert } from "../store/tables.ts"
import { ANSWER_MS, OUTCOME } from "./gate/attempt-state.ts"
import type { IntentRow, OutcomeRow } from "./record-rows.ts"
import { sharedRuns } from "./shared-runs.ts"

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
  /** Of a creator. */
  teams: optional(v.pipe(v.string(), v.parseJson(), v.array(v.string()))),
})

type ActionRow = v.InferOutput<typeof actionRow>

const changedRow = v.object({ workId: optional(v.string()) })

/** How long a createWork may be on its way, with a reserve. After this time its outcome is stored, or its process was killed. */
export const CREATION_MS = 2 * ANSWER_MS
/**
 * How long the store isn't read again while its only desk has changed nothing. After that it is read anyway, because a desk that ends may still
 * write to the file when its successor has already begun.
 */
const UNCHANGED_MS = 1_000
/** How much the service's clock may differ from the desk's. */
const CLOCKS_DIFFER_MS = 10_000

/** The Works of the actions that outcome rows after the first value, up to the second, have recorded. */
const WORKS_WITH_ACTIONS = `
  SELECT DISTINCT coalesce(answered.work_id, asked.work_id) AS work_id
  FROM record AS answered JOIN record AS asked ON asked.sequence = answered.intent
  WHERE answered.sequence > ? AND answered.sequence <= ? AND answered.outcome = 'recorded'
    AND asked.operation IN ('createWork', 'resolveWorkApproval')`

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

/** How many Works are cached at least: all that the desk can know approvals of (`known-approvals.ts`). At most twice as many are. */
const WORKS_MAX = 200_000
const WORKS_PER_READ = 50

/**
 * SQL: the actions in some Works. `|| ''` keeps SQLite from searching by the outcome or operation that nearly all rows share. During a rolling upgrade
 * a desk of an older version still runs, whose actions are in the record alone.
 */
const selectActions = (works: string) => `
  SELECT work_id, person_id, deed AS action, teams FROM work_person WHERE work_id IN ${works}
  UNION ALL SELECT answered.work_id, asked.person_id, 'creator', NULL
    FROM record AS answered JOIN record AS asked ON asked.sequence = answered.intent
    WHERE answered.work_id IN ${works} AND answered.outcome || '' = 'recorded' AND asked.operation || '' = 'createWork' AND asked.person_id <> 'local'
  UNION ALL SELECT work_id, person_id, 'decider', NULL FROM record AS asked
    WHERE work_id IN ${works} AND operation || '' = 'resolveWorkApproval' AND person_id <> 'local' AND ${OUTCOME} = 'recorded'
  ORDER BY work_id, person_id, action`

/** Reads who created some Works and who decided about them. A Work of which the desk knows nobody is left out. */
export async function peopleOf(store: Reader, workIds: readonly string[]): Promise<ReadonlyMap<string, PeopleOfWork>> {
  const found = new Map<string, PeopleOfWork>()
  for (let begin = 0; begin < workIds.length; begin += WORKS_PER_READ) {
    const some = workIds.slice(begin, begin + WORKS_PER_READ)
    const sql = selectActions(`(${some.map(() => "?").join(", ")})`)
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

export class WorkPeople {
  /** Everything that was recorded before this time has been read. Milliseconds since 1970. */
  readAt = Number.NEGATIVE_INFINITY
  readonly #database: Database
  /** The Works that were asked for lately, and those that were asked for before them. A Work of nobody is among them, too. */
  #works = new Map<string, PeopleOfWork>()
  #olderWorks: ReadonlyMap<string, PeopleOfWork> = new Map()
  /** Works with the same people share one object. By the people as JSON. */
  #shared = new Map<string, PeopleOfWork>()
  #asked = new Set<string>()
  readonly #readShared = sharedRuns(() => this.#read())
  /** When each createWork was sent whose outcome is not stored. Milliseconds since 1970. */
  #underWay: readonly number[] = []
  #onRead: (hasNews: boolean) => void = () => undefined
  /** The last row of the record that was read. Undefined before the first read. */
  #sequence: number | undefined
  /** When the last read of the store began, and how many changes the desk had made then. */
  #lastRead: { readonly at: number; readonly changes: number | undefined } = { at: 0, changes: undefined }

  constructor(database: Database) {
    this.#database = database
  }

  /** Calls `listener` after each read. `hasNews`: Works have new actions, or other createWorks are on their way. */
  onRead(listener: (hasNews: boolean) => void): void {
    this.#onRead = listener
  }

  /**
   * Reads what is new, if anything can be new, and of the given Works those that are unread. Calls at the same time share reads that begin after
   * them, and other requests run between the reads of very many Works. @throws StoreUnavailableError
   */
  async refresh(workIds: Iterable<string> = []): Promise<void> {
    const turns = new Turns()
    let count = 0
    for (const id of workIds) {
      if (turns.isOver()) await turns.next()
      if (this.of(id) !== undefined) continue
      this.#asked.add(id)
      if (++count % WORKS_PER_READ === 0) await this.#readShared()
    }
    const now = Date.now()
    if (count > 0 || this.#mayHaveNews(now)) return this.#readShared()
    this.readAt = now
    this.#onRead(false)
  }

  /** Who created a Work and decided about it, as far as the store was read. Undefined: the Work is unread, so nobody may see it for its people. */
  of(workId: string): PeopleOfWork | undefined {
    const recent = this.#works.get(workId)
    if (recent !== undefined) return recent
    const older = this.#olderWorks.get(workId)
    if (older !== undefined) this.#works.set(workId, older)
    return older
  }

  /**
   * Whether somebody at this desk may have created a Work without a known creator: the Work is unread, the store was not read since the Work
   * became known, or a createWork is on its way that may be the Work's. `createdAt` and `knownAt` are milliseconds since 1970.
   */
  isUnsettled(workId: string, createdAt: number, knownAt: number): boolean {
    if (this.of(workId) === undefined || this.readAt < knownAt) return true
    // Negated, so that a time which cannot be read (NaN) counts as unsettled.
    return this.#underWay.some((sentAt) => !(createdAt < sentAt - CLOCKS_DIFFER_MS))
  }

  async #read(): Promise<void> {
    const readAt = Date.now()
    const asked = this.#asked
    this.#asked = new Set()
    const news = this.#mayHaveNews(readAt) ? await this.#readNews(readAt) : undefined
    // A changed Work that nobody has asked for lately is read when somebody asks for it.
    const changed = news?.changed.filter((id) => this.of(id) !== undefined) ?? []
    await this.#readWorks([...new Set([...asked, ...changed])])
    this.readAt = readAt
    const before = String(this.#underWay)
    if (news !== undefined) {
      this.#underWay = news.underWay
      this.#sequence = news.until
      this.#lastRead = news.lastRead
    }
    this.#onRead(news !== undefined && (news.changed.length > 0 || String(news.underWay) !== before))
  }

  /** Reads which createWorks are on their way, and which Works have new actions. */
  async #readNews(at: number) {
    const { read, changes } = this.#database
    const lastRead = { at, changes: changes?.() }
    const rows = await read(
      `SELECT max(sequence) AS head, NULL AS sent_at FROM record
       UNION ALL SELECT NULL, at FROM record AS asked WHERE operation = 'createWork' AND at > ? AND ${OUTCOME} IS NULL`,
      at - CREATION_MS,
    )
    const underWay = rows.flatMap(({ sent_at: sentAt }) => (sentAt === null ? [] : [Number(sentAt)]))
    const until = Number(rows.find((row) => row["sent_at"] === null)?.["head"] ?? 0)
    const after = this.#sequence ?? until
    const changed = after === until ? [] : await select(this.#database, changedRow, WORKS_WITH_ACTIONS, after, until)
    return { lastRead, underWay, until, changed: changed.flatMap(({ workId }) => workId ?? []) }
  }

  /** Whether the store may have what was not read. Of a shared store nobody knows, so it is read each time. */
  #mayHaveNews(now: number): boolean {
    const { at, changes } = this.#lastRead
    return changes === undefined || changes !== this.#database.changes?.() || now - at >= UNCHANGED_MS
  }

  async #readWorks(workIds: readonly string[]): Promise<void> {
    const found = await peopleOf(this.#database, workIds)
    for (const id of workIds) {
      const people = found.get(id) ?? NOBODY
      const key = JSON.stringify([[...people.creators], [...people.deciders]])
      const shared = this.#shared.get(key) ?? people
      this.#shared.set(key, shared)
      this.#works.set(id, shared)
    }
    if (this.#works.size <= WORKS_MAX) return
    this.#olderWorks = this.#works
    this.#works = new Map()
    this.#shared = new Map()
  }
}
