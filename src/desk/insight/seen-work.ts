/** Answers `GET` and `POST /desk/seen`: the Work that is new to a person, and that they have seen it. Wakes nobody, and is in no record. */
import { hash } from "node:crypto"
import * as v from "valibot"
import { NEW_WORK_MAX, type NewWork, type NewWorkEntry } from "../../contract/desk-work.ts"
import { bodyInvalid, type Refusal, refusal } from "../../platform/http/refusals.ts"
import { Refused } from "../../platform/http/send.ts"
import type { Tagged } from "../../platform/http/tagged.ts"
import { Turns } from "../../platform/turns.ts"
import type { Directory } from "../people/directory.ts"
import { RecordedActions } from "../record/recorded-actions.ts"
import type { WorkPeople } from "../record/work-people.ts"
import type { Database } from "../store/database.ts"
import type { DoneWork, DoneWorkReads } from "../watcher/done-work-reads.ts"
import { type Audience, personOf } from "../watcher/visible-work.ts"
import { itemsOf, type WatchedWork } from "../watcher/watched-work.ts"
import type { Watcher } from "../watcher/watcher.ts"
import { findNews, type KnownState, type News, toSeenRow } from "./find-news.ts"
import { SeenStore, type SeenWorkRow } from "./seen-store.ts"

/** How many answers to a person are remembered, and for how many people. */
const ANSWERS_MAX = 4
const PEOPLE_MAX = 500

export type SeenWorkSources = {
  readonly database: Database
  readonly watcher: Watcher
  readonly done: DoneWorkReads
  /** Undefined in local mode, where every Work concerns the one person. */
  readonly people: WorkPeople | undefined
  readonly directory: Directory | undefined
}

/** A version that a person has seen, or the ETag of what they have seen. */
export type ReadReport = { readonly work: string; readonly version: bigint } | { readonly all: string }

const report = v.pipe(
  v.string(),
  v.parseJson(),
  v.union([
    v.object({
      work: v.pipe(v.string(), v.nonEmpty()),
      version: v.pipe(
        v.string(),
        v.regex(/^\d{1,19}$/),
        v.transform((digits) => BigInt(digits)),
      ),
    }),
    v.object({ all: v.string() }),
  ]),
)

/** Reads the body of `POST /desk/seen`. @throws Refused */
export function readSeenReport(body: Buffer): ReadReport {
  const read = v.safeParse(report, body.toString("utf8"))
  if (read.success) return read.output
  throw new Refused({
    ...bodyInvalid,
    detail: 'The body must be {"work", "version"} with a version in digits, or {"all"}.',
  })
}

const versionAhead = refusal(400, "PROXY_VERSION_INVALID", "The Work doesn't have this version yet.")

const newsStale: Refusal = refusal(
  412,
  "PROXY_VERSION_STALE",
  "This desk didn't send that list, or the list has changed. Read it again.",
  { title: "Changed in the meantime" },
)

/** A Work of an answer: how it is listed, and what the person has seen when they have seen the answer. */
type Listed = { readonly entry: NewWorkEntry; readonly seen: SeenWorkRow }

type SentAnswer = { readonly etag: string; readonly seen: readonly SeenWorkRow[] }

/** What the caller reads of a Work whose version the desk does not know. @throws Refused when the Work cannot be read */
export type ReadState = () => Promise<Pick<DoneWork, "version" | "updatedAt">>

export class SeenWork {
  readonly #sources: SeenWorkSources
  readonly #store: SeenStore
  readonly #actions: RecordedActions
  /** The last answers to each person, by id. The person who asked last stands at the end. */
  readonly #sent = new Map<string, readonly SentAnswer[]>()

  constructor(sources: SeenWorkSources) {
    this.#sources = sources
    this.#store = new SeenStore(sources.database)
    this.#actions = new RecordedActions(sources.database)
  }

  /** The Work that is new to a person. @throws StoreUnavailableError */
  async read(audience: Audience): Promise<Tagged<Omit<NewWork, "etag">>> {
    const { watcher, done } = this.#sources
    const listed = await this.#listAll(audience)
    listed.sort(({ entry: one }, { entry: other }) => compare(other.at, one.at) || compare(one.work, other.work))
    const first = listed.slice(0, NEW_WORK_MAX)
    const document = {
      new: first.map(({ entry }) => entry),
      total: listed.length,
      complete: watcher.wake().isCompleteFor(watcher.visibleWork.of(audience).works) && done.isAllListed,
    }
    const etag = `"${hash("sha256", JSON.stringify(document), "base64url")}"`
    this.#remember(personOf(audience), { etag, seen: first.map(({ seen }) => seen) })
    return { document, etag }
  }

  /** The ids of all Work that is new to a person. @throws StoreUnavailableError */
  async readNewIds(audience: Audience): Promise<ReadonlySet<string>> {
    return new Set((await this.#listAll(audience)).map(({ entry }) => entry.work))
  }

  async #listAll(audience: Audience): Promise<Listed[]> {
    const { watcher, done, directory } = this.#sources
    const state = watcher.wake()
    await Promise.all([
      this.#actions.refresh(),
      directory?.recent(),
      watcher.visibleWork.readPeople([...state.works.keys(), ...done.newest.keys()]),
    ])
    const personId = personOf(audience)
    const { since, works } = await this.#store.read(personId, { at: Date.now(), sequence: this.#actions.until })
    const turns = new Turns()
    const listed: Listed[] = []
    const found = new Set<string>()
    for (const work of this.#visibleWork(audience)) {
      if (turns.isOver()) await turns.next()
      // A Work may end meanwhile, and would be found again among the done Work.
      if (found.has(work.id) || !this.#concerns(audience, work.id)) continue
      found.add(work.id)
      const news = findNews(personId, work, this.#actions.of(work.id), works.get(work.id), since)
      if (news !== undefined)
        listed.push({ entry: this.#toEntry(work, news), seen: toSeenRow(work, this.#actions.until) })
    }
    return listed
  }

  /** Notes that a person has seen a version of a Work that they may see. @throws Refused for a version that the Work does not have */
  async noteWork(audience: Audience, workId: string, version: bigint, readState: ReadState): Promise<void> {
    await Promise.all([this.#actions.refresh(), this.#sources.watcher.visibleWork.readPeople([workId])])
    const known = this.#find(workId)
    const newest = known !== undefined && version <= known.version ? known : newerOf(await readState(), known)
    if (version > newest.version) throw new Refused(versionAhead)
    if (!this.#concerns(audience, workId)) return
    const state = { ...(known ?? NOTHING_KNOWN), ...newest, id: workId }
    // Who has seen an older version may not have seen what happened since.
    const isNewest = version === newest.version
    const seen = isNewest ? toSeenRow(state, this.#actions.until) : { workId, version, sequence: 0, itemsUntil: 0 }
    await this.#save(audience, [seen])
  }

  /** Notes that a person has seen everything that an answer listed. @throws Refused for an answer that this desk does not know */
  async noteAll(audience: Audience, etag: string): Promise<void> {
    const find = () => this.#sent.get(personOf(audience))?.find((answer) => answer.etag === etag)
    let answer = find()
    if (answer === undefined) {
      // Another desk may have sent it.
      await this.read(audience)
      answer = find()
    }
    if (answer === undefined) throw new Refused(newsStale)
    await this.#save(audience, answer.seen)
  }

  async #save(audience: Audience, seen: readonly SeenWorkRow[]): Promise<void> {
    const personId = personOf(audience)
    await this.#store.begin(personId, { at: Date.now(), sequence: this.#actions.until })
    await this.#store.save(personId, seen)
  }

  /** The Works that a person sees, as the desk knows them. Nothing is known of a Work that cannot be read. */
  *#visibleWork(audience: Audience): Generator<KnownState> {
    const { watcher, done } = this.#sources
    const { works } = watcher.wake()
    for (const watched of watcher.visibleWork.of(audience).works) if (!watched.work.isUnread) yield toOpenState(watched)
    for (const work of done.newest.values())
      if (!works.has(work.id) && watcher.visibleWork.seesWork(audience, work.id)) yield this.#toDoneState(work)
  }

  #find(workId: string): KnownState | undefined {
    const { watcher, done } = this.#sources
    const watched = watcher.wake().works.get(workId)
    if (watched !== undefined) return toOpenState(watched)
    const work = done.newest.get(workId)
    return work && this.#toDoneState(work)
  }

  #toDoneState(work: DoneWork): KnownState {
    return { ...work, status: "done", items: [], results: () => this.#sources.done.resultsOf(work) }
  }

  /** Whether the person delegated the Work, or answered or decided in it at this desk. In local mode every Work concerns the one person. */
  #concerns(audience: Audience, workId: string): boolean {
    if (audience === "everything") return true
    const { creators, deciders } = this.#sources.people?.of(workId) ?? {}
    const isKnown = creators?.has(audience.id) === true || deciders?.has(audience.id) === true
    return isKnown || this.#actions.of(workId).some(({ personId }) => personId === audience.id)
  }

  #toEntry({ id, title }: KnownState, { what, by, results, at }: News): NewWorkEntry {
    return {
      work: id,
      title,
      what,
      ...(by !== undefined && { by: { id: by, name: this.#sources.directory?.nameOf(by) ?? by } }),
      ...(results !== undefined && { results }),
      at: new Date(at).toISOString(),
    }
  }

  #remember(personId: string, answer: SentAnswer): void {
    const others = (this.#sent.get(personId) ?? []).filter(({ etag }) => etag !== answer.etag)
    this.#sent.delete(personId)
    this.#sent.set(personId, [...others, answer].slice(-ANSWERS_MAX))
    const [oldest] = this.#sent.keys()
    if (this.#sent.size > PEOPLE_MAX && oldest !== undefined) this.#sent.delete(oldest)
  }
}

const NOTHING_KNOWN = { title: "", status: "", items: [], results: () => undefined }

const newerOf = <State extends Pick<DoneWork, "version">>(read: State, known: State | undefined): State =>
  known !== undefined && known.version > read.version ? known : read

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

function toOpenState(watched: WatchedWork): KnownState {
  const { id, title, version, updatedAt, status } = watched.work
  return { id, title, version, updatedAt, status, items: itemsOf(watched), results: () => undefined }
}
