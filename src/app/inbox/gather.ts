import type { QueryClient, QueryKey } from "@tanstack/react-query"
import { parseInt64 } from "../../contract/int64.ts"
import { DeskError } from "../client/desk-error.ts"
import { fetchOpenWork, type OpenWork } from "./open-work.ts"
import { rateLimitFactor } from "../client/rate-limit.ts"
import { string } from "valibot"
import { defineKind } from "../client/storage.ts"

/** What one Work was found to hold. */
export type Check<Item> = {
  readonly work: OpenWork
  /** When its items were read, ms since the epoch; undefined until they have been. */
  readonly checkedAt: number | undefined
  /** The Work's version at that time. */
  readonly checkedVersion: bigint | undefined
  readonly items: readonly Item[]
}

/** What waits across all Work, as far as it has been gathered: newest Work first. */
export type Gathered<Item> = {
  readonly checks: readonly Check<Item>[]
  /** When an item last came, went or changed, ms since the epoch. */
  readonly changedAt: number
}

type Versioned = { readonly id: string; readonly version: bigint }

export type Gathering<Item> = {
  readonly queryKey: QueryKey
  /** Which Work can hold such items at all. */
  readonly concerns: (work: OpenWork) => boolean
  readonly read: (workId: string, signal: AbortSignal) => Promise<readonly Item[]>
}

const AT_A_TIME = 4
/** How often the screen is told how far the gathering got. */
const TELL_MS = 150
/** When the quota runs down, each of the four waits this long more between two reads, times the factor of the polling. */
const PAUSE_MS = 150
/**
 * What did not change is looked at again, so much of it in a round: what waits in every round, since it shows within 30 s
 * that it was resolved elsewhere (design), what was found empty in turns.
 */
const RECHECK_MS = 5_000
const RECHECKED_WITH_ITEMS = 25
const RECHECKED_EMPTY = 15

/**
 * Reads the items of all open Work, a few requests at a time: new and changed Work first, the newest before the older (design:
 * "gathering asks the newest Work first"). What did not change is taken over and looked at again in turns, since the
 * specification does not say that an approval changes its Work's version. How far it got is in the query's data at any time.
 * Throws DeskError; what was gathered stays, and the next round goes on from there.
 */
export async function gather<Item extends Versioned>(
  client: QueryClient,
  { queryKey, concerns, read }: Gathering<Item>,
  signal: AbortSignal,
): Promise<Gathered<Item>> {
  const change = (update: (before: Gathered<Item> | undefined) => Gathered<Item>) =>
    client.setQueryData<Gathered<Item>>(queryKey, update)
  const works = (await fetchOpenWork(client)).filter(concerns)
  const remembered = readEmpty(queryKey)
  const listed = change((before) => relist(before, works, remembered))
  const queue = [...dueOf(listed?.checks ?? [], Date.now())]

  let found: Check<Item>[] = []
  let toldAt = Date.now()
  let failure: DeskError | undefined
  let answered = 0
  let refused = 0
  const tell = () => {
    const news = found
    found = []
    toldAt = Date.now()
    if (news.length > 0) change((before) => news.reduce(noteCheck, before ?? { checks: [], changedAt: 0 }))
  }
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      await pause(PAUSE_MS * (rateLimitFactor() - 1), signal)
      const checkedAt = Date.now()
      try {
        const items = await read(next.id, signal)
        found.push({ work: next, checkedAt, checkedVersion: next.version, items })
        answered++
      } catch (error) {
        if (!(error instanceof DeskError)) throw error
        // Gone since it was listed, which the next listing will say, or with an id that no request can name.
        if (error.status === 404 || error.kind === "unaddressable")
          found.push({ work: next, checkedAt, checkedVersion: next.version, items: [] })
        else failure = error
        if (error.status === 403) refused++
        // A policy may refuse one Work; a missing scope refuses all of them.
        if (endsRound(error) || (refused >= AT_A_TIME && answered === 0)) queue.length = 0
      }
      if (Date.now() - toldAt >= TELL_MS) tell()
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
  tell()
  const gathered = client.getQueryData<Gathered<Item>>(queryKey) ?? { checks: [], changedAt: Date.now() }
  writeEmpty(queryKey, gathered.checks)
  if (failure !== undefined) throw failure
  return gathered
}

/** Takes in what a Work's own read has just found, so that badge, list and card agree at once. */
export function noteItems<Item extends Versioned>(
  client: QueryClient,
  queryKey: QueryKey,
  workId: string,
  items: readonly Item[],
  checkedAt: number,
): void {
  const before = client.getQueryData<Gathered<Item>>(queryKey)
  const check = before?.checks.find(({ work }) => work.id === workId)
  if (before === undefined || check === undefined) return
  const updatedAt = client.getQueryState(queryKey)?.dataUpdatedAt
  client.setQueryData<Gathered<Item>>(
    queryKey,
    noteCheck(before, { ...check, checkedAt, items }),
    // The query's own rhythm goes on: this was one Work of many.
    updatedAt === undefined ? undefined : { updatedAt },
  )
}

/**
 * An item as it is known best, from its Work's own list and from what was gathered: an own list that was read before the item
 * came does not say that it is gone.
 */
export function latestOf<Item extends Versioned>(
  gathered: Gathered<Item> | undefined,
  workId: string | undefined,
  own: { readonly data: readonly Item[] | undefined; readonly dataUpdatedAt: number },
  id: string | undefined,
): Item | undefined {
  const check = gathered?.checks.find(({ work }) => work.id === workId)
  const ofOwn = own.data?.find((item) => item.id === id)
  const ofGathered = check?.items.find((item) => item.id === id)
  if (ofOwn === undefined) return (check?.checkedAt ?? 0) > own.dataUpdatedAt ? ofGathered : undefined
  return ofGathered !== undefined && ofGathered.version > ofOwn.version ? ofGathered : ofOwn
}

/** Takes an item out of what was gathered: the service has recorded that it waits no more. */
export function noteResolved<Item extends Versioned>(
  client: QueryClient,
  queryKey: QueryKey,
  { work_id: workId, id }: { readonly work_id: string; readonly id: string },
): void {
  const check = client.getQueryData<Gathered<Item>>(queryKey)?.checks.find(({ work }) => work.id === workId)
  if (check === undefined) return
  const remaining = check.items.filter((item) => item.id !== id)
  noteItems(client, queryKey, workId, remaining, Date.now())
}

/** How far a gathering got: `checked` of `total` Works, the longest ago at `oldestAt`. */
export function progressOf({ checks }: Gathered<unknown>): {
  checked: number
  total: number
  oldestAt: number | undefined
} {
  const times = checks.flatMap(({ checkedAt }) => checkedAt ?? [])
  return {
    checked: times.length,
    total: checks.length,
    oldestAt: times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b)),
  }
}

/** One account's pause or refusal, or no connection: asking for the next Work would meet the same. */
function endsRound({ status, retryAt, kind }: DeskError): boolean {
  return status === 401 || status === 429 || retryAt !== undefined || kind === "unreachable"
}

function relist<Item extends Versioned>(
  before: Gathered<Item> | undefined,
  works: readonly OpenWork[],
  remembered: ReadonlyMap<string, EmptyCheck>,
): Gathered<Item> {
  const known = new Map(before?.checks.map((check) => [check.work.id, check]))
  const checks = works.map((work): Check<Item> => {
    const check = known.get(work.id)
    if (check !== undefined) return { ...check, work }
    const empty = remembered.get(work.id)
    const same = empty?.version === work.version ? empty : undefined
    return { work, checkedAt: same?.checkedAt, checkedVersion: same?.version, items: [] }
  })
  return withChange(before, checks)
}

function noteCheck<Item extends Versioned>(before: Gathered<Item>, check: Check<Item>): Gathered<Item> {
  const checks = before.checks.map((old) =>
    // What was read later elsewhere (a card, after its decision) is not undone by an answer that began before.
    old.work.id === check.work.id && (old.checkedAt ?? 0) <= (check.checkedAt ?? 0)
      ? { ...check, work: old.work }
      : old,
  )
  return withChange(before, checks)
}

function withChange<Item extends Versioned>(
  before: Gathered<Item> | undefined,
  checks: readonly Check<Item>[],
): Gathered<Item> {
  const print = (of: readonly Check<Item>[]) =>
    of.flatMap(({ work, items }) => items.map(({ id, version }) => `${work.id}\n${id}\n${String(version)}`)).join("\n")
  const changed = before === undefined || print(before.checks) !== print(checks)
  return { checks, changedAt: changed ? Date.now() : before.changedAt }
}

/** Which Work to ask in this round, in order. */
function dueOf<Item>(checks: readonly Check<Item>[], now: number): OpenWork[] {
  const isNews = ({ work, checkedAt, checkedVersion }: Check<Item>) =>
    checkedAt === undefined || checkedVersion !== work.version
  const old = checks
    .filter((check) => !isNews(check) && now - (check.checkedAt ?? 0) >= RECHECK_MS)
    .sort((a, b) => (a.checkedAt ?? 0) - (b.checkedAt ?? 0))
  // A quota that runs down is left to what the person does.
  const share = rateLimitFactor() >= 2 ? 0.25 : 1
  return [
    ...checks.filter(isNews),
    ...old.filter(({ items }) => items.length > 0).slice(0, RECHECKED_WITH_ITEMS * share),
    ...old.filter(({ items }) => items.length === 0).slice(0, RECHECKED_EMPTY * share),
  ].map(({ work }) => work)
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/*
 * A reload would ask every Work again, and a few of them would use up the quota of a minute. So what was found empty is kept by
 * the browser, with the Work's version, for a quarter of an hour.
 */
type EmptyCheck = { readonly version: bigint; readonly checkedAt: number }

const KEPT_EMPTY_MS = 15 * 60_000
const emptyChecks = defineKind<readonly [queryKey: string], string>({
  name: "checked",
  version: 1,
  schema: string(),
  forgetAfterMs: KEPT_EMPTY_MS,
  maxCharacters: 1_000_000,
  mayGo: true,
})
const emptyEntry = (queryKey: QueryKey) => emptyChecks(queryKey.join("/"))

function readEmpty(queryKey: QueryKey): ReadonlyMap<string, EmptyCheck> {
  const kept = new Map<string, EmptyCheck>()
  for (const line of emptyEntry(queryKey).read()?.split("\n") ?? []) {
    const [version = "", checkedAt = "", id = ""] = line.split(" ")
    const exact = parseInt64(version)
    if (exact === undefined || Date.now() - Number(checkedAt) > KEPT_EMPTY_MS) continue
    kept.set(decodeURIComponent(id), { version: exact, checkedAt: Number(checkedAt) })
  }
  return kept
}

function writeEmpty(queryKey: QueryKey, checks: readonly Check<unknown>[]): void {
  const lines = checks.flatMap(({ work, checkedAt, checkedVersion, items }) =>
    items.length > 0 || checkedAt === undefined || checkedVersion === undefined
      ? []
      : `${String(checkedVersion)} ${String(checkedAt)} ${encodeURIComponent(work.id.toWellFormed())}`,
  )
  emptyEntry(queryKey).write(lines.join("\n"))
}
