/**
 * Who created a Work at this desk, in which teams they were then, and who decided its approvals. The table `work_person` keeps this beyond an
 * archive of the record. A process keeps it in memory, and reads only what is new in the record.
 */
import type { Access } from "../people/access.ts"
import type { Session } from "../people/people.ts"
import { teamsOf } from "../people/visibility.ts"
import type { Database, Reader, Row, Statements } from "../store/database.ts"
import { parseObject } from "../contract/json-object.ts"
import type { IntentRow, OutcomeRow } from "./rows.ts"

export type PeopleOfWork = {
  /** The creator's id, with the names of their teams. Undefined teams: an older desk stored the creation, or the file had no teams. */
  readonly creators: ReadonlyMap<string, readonly string[] | undefined>
  readonly deciders: ReadonlySet<string>
}

type Deeds = { readonly creators: Map<string, readonly string[] | undefined>; readonly deciders: Set<string> }

export const NOBODY: PeopleOfWork = { creators: new Map(), deciders: new Set() }

const ROWS_PER_STATEMENT = 1_000

/** How long a createWork may be on its way. Then its outcome is stored, or its process was killed. */
const UNDER_WAY_MS = 60_000
/** How much the service's clock may differ from the desk's. */
const CLOCKS_DIFFER_MS = 10_000

/** The recorded deeds of the record after a sequence. `teams` are those of work_person, where it has the creation. */
const NEW_DEEDS = `
  SELECT coalesce(answered.work_id, asked.work_id) AS work_id, asked.person_id AS person_id, kept.work_id AS kept,
    CASE asked.operation WHEN 'createWork' THEN 'creator' ELSE 'decider' END AS deed, kept.teams AS teams
  FROM record AS answered JOIN record AS asked ON asked.sequence = answered.intent
    LEFT JOIN work_person AS kept ON kept.work_id = coalesce(answered.work_id, asked.work_id)
      AND kept.person_id = asked.person_id
      AND kept.deed = CASE asked.operation WHEN 'createWork' THEN 'creator' ELSE 'decider' END
  WHERE answered.sequence > ? AND answered.sequence <= ? AND answered.outcome = 'recorded'
    AND asked.operation IN ('createWork', 'resolveWorkApproval') AND asked.person_id <> 'local'
    AND coalesce(answered.work_id, asked.work_id) IS NOT NULL`

/** Stores who created a Work, or decided about it. Call this in the transaction that stores the outcome. */
export async function keepDeed(
  { write }: Statements,
  { person, identity }: Session,
  access: Access,
  intent: IntentRow,
  outcome: Omit<OutcomeRow, "intent">,
): Promise<void> {
  const deed = DEEDS.get(intent.operation)
  const workId = outcome.work_id ?? intent.work_id
  if (outcome.outcome !== "recorded" || deed === undefined || workId === undefined || person.id === "local") return
  const hasTeams = deed === "creator" && access.visibility?.teams !== undefined
  await write(KEEP, workId, person.id, deed, hasTeams ? JSON.stringify(teamsOf(identity, access)) : null)
}

const DEEDS: ReadonlyMap<string, string> = new Map([
  ["createWork", "creator"],
  ["resolveWorkApproval", "decider"],
])

const KEEP = `INSERT INTO work_person (work_id, person_id, deed, teams) VALUES (?, ?, ?, ?)
  ON CONFLICT (work_id, person_id, deed) DO NOTHING`

/** Reads who created one Work and who decided about it, for a command that has no `WorkPeople`. */
export async function peopleOfWork({ read }: Reader, workId: string): Promise<PeopleOfWork> {
  const rows = await read("SELECT work_id, person_id, deed, teams FROM work_person WHERE work_id = ?", workId)
  const deeds: Deeds = { creators: new Map(), deciders: new Set() }
  for (const row of rows) addDeed(deeds, row)
  return deeds
}

export class WorkPeople {
  /** Grows with every deed that is new. */
  version = 0
  /** The system's clock when the last read of the store began. */
  readOn = Number.NEGATIVE_INFINITY
  readonly #database: Database
  readonly #works = new Map<string, Deeds>()
  readonly #worksOf = new Map<string, Set<string>>()
  /** When each createWork was sent whose outcome is not stored. Milliseconds since 1970. */
  #underWay: readonly number[] = []
  /** The last row of the record that was read. Undefined before the first read. */
  #sequence: number | undefined
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

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
   * Whether somebody at this desk may have created a Work without a known creator: the store was read before the Work was known, or a
   * createWork is on its way. `createdAt` and `knownOn` are milliseconds since 1970.
   */
  isUnsettled(createdAt: number, knownOn: number): boolean {
    if (this.readOn < knownOn) return true
    return this.#underWay.some((sentAt) => !(createdAt < sentAt - CLOCKS_DIFFER_MS))
  }

  /**
   * Reads what is new. The promise resolves after a read that began after this call. Calls at the same time share a read.
   * @throws StoreUnavailableError
   */
  refresh(): Promise<void> {
    if (this.#running === undefined) return this.#begin()
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        return this.#begin()
      })
    return this.#next
  }

  #begin(): Promise<void> {
    const running = this.#read().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }

  async #read(): Promise<void> {
    const { read } = this.#database
    const readOn = Date.now()
    const underWay = await read(
      `SELECT at FROM record AS creation WHERE operation = 'createWork' AND at > ? AND NOT EXISTS
         (SELECT 1 FROM record WHERE intent = creation.sequence AND outcome IS NOT NULL)`,
      readOn - UNDER_WAY_MS,
    )
    // The head is read after `underWay`, so that an outcome that is stored between the two is not missed.
    const [head] = await read("SELECT max(sequence) AS sequence FROM record")
    const until = Number(head?.["sequence"] ?? 0)
    if (this.#sequence === undefined) await this.#load()
    else if (until > this.#sequence) await this.#readNew(this.#sequence, until)
    this.#sequence = until
    const sentAt = underWay.map((row) => Number(row["at"]))
    if (String(sentAt) !== String(this.#underWay)) this.version++
    this.#underWay = sentAt
    this.readOn = readOn
  }

  /** Reads all that is stored. */
  async #load(): Promise<void> {
    let [work, person, deed] = ["", "", ""]
    for (;;) {
      const rows = await this.#database.read(
        `SELECT work_id, person_id, deed, teams FROM work_person WHERE (work_id, person_id, deed) > (?, ?, ?)
         ORDER BY work_id, person_id, deed LIMIT ${ROWS_PER_STATEMENT}`,
        work,
        person,
        deed,
      )
      for (const row of rows) this.#add(row)
      const last = rows.at(-1)
      if (last === undefined || rows.length < ROWS_PER_STATEMENT) return
      ;[work, person, deed] = [String(last["work_id"]), String(last["person_id"]), String(last["deed"])]
      // Lets other requests run.
      await new Promise(setImmediate)
    }
  }

  async #readNew(from: number, until: number): Promise<void> {
    const rows = await this.#database.read(NEW_DEEDS, from, until)
    for (const row of rows) {
      this.#add(row)
      if (row["kept"] !== null) continue
      // A desk of an older version did this, while both versions served.
      await this.#database.write(KEEP, String(row["work_id"]), String(row["person_id"]), String(row["deed"]), null)
    }
  }

  #add(row: Row): void {
    const [workId, personId] = [String(row["work_id"]), String(row["person_id"])]
    const deeds = this.#works.get(workId) ?? { creators: new Map(), deciders: new Set() }
    this.#works.set(workId, deeds)
    addDeed(deeds, row)
    const works = this.#worksOf.get(personId) ?? new Set()
    this.#worksOf.set(personId, works.add(workId))
    this.version++
  }
}

function addDeed({ creators, deciders }: Deeds, row: Row): void {
  const personId = String(row["person_id"])
  if (row["deed"] === "decider") deciders.add(personId)
  else creators.set(personId, readTeams(row["teams"]))
}

function readTeams(teams: Row[string] | undefined): readonly string[] | undefined {
  if (typeof teams !== "string") return undefined
  const names = parseObject(`{"names":${teams}}`)?.["names"]
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : []
}
