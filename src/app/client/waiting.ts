/** The pending items in the app: their types, the query that holds them, and removing what was resolved here. */
import { type QueryClient, queryOptions, skipToken, useQuery } from "@tanstack/react-query"
import type * as wire from "../../contract/desk-work.ts"
import type { WaitingChange } from "../../contract/waiting-change.ts"
import type { Approval, Attention } from "../../contract/resources.ts"
import { deskNow, steadyNow } from "./clock.ts"
import { createStore } from "./create-store.ts"
import { type DeskError, errorOfProblem } from "./desk-error.ts"
import { readApproval, readClarification, type Reader, readWork } from "./check-resource.ts"
import { isObject } from "./value-schema.ts"

/** A question of a colleague. openapi.yaml calls it an attention item; the app says clarification everywhere. */
export type Clarification = Attention

/** What the desk says about a pending item, besides the item: who looks at it, who has it, by when it is to be decided. */
type OnWire = Omit<wire.WaitingApproval, "work" | "item">
export type TeamFacts = { readonly [Fact in keyof OnWire]?: OnWire[Fact] | undefined }

export type WaitingItem<Item extends Clarification | Approval> = Pick<wire.WaitingItem<Item>, "work" | "item"> &
  TeamFacts

/** What is pending across all Work, in the words of the app. */
export type Waiting = Omit<wire.Waiting, "attention" | "approvals"> & {
  readonly clarifications: readonly WaitingItem<Clarification>[]
  readonly approvals: readonly WaitingItem<Approval>[]
}

/**
 * Where an item stands for the person: in the list and the count because it needs them, set aside by them, approved by them while it needs another
 * person, or waiting for others because they may not answer or approve it.
 */
export type Standing = "waits" | "aside" | "approved" | "others"

export function standingOf(entry: WaitingItem<Clarification | Approval>, personId: string): Standing {
  const { aside, approvals, needs_you: needsYou } = entry
  if (approvals !== undefined && isHeldFor(approvals, personId)) return "approved"
  if (aside !== undefined) return "aside"
  return needsYou === true ? "waits" : "others"
}

/** Whether the desk keeps an approve of the person, and at least one more person has to approve. */
export function isHeldFor({ given, needed }: wire.ApprovalsGiven, personId: string): boolean {
  return given.length < needed && given.some(({ person }) => person.id === personId)
}

/** An answer of `GET /desk/waiting` as the desk sent it, with its ETag. */
export type AnsweredWaiting = { readonly etag: string | undefined; readonly answer: wire.Waiting }

/** A new answer, and the change that led to it if the desk sent only the change. */
export type WaitingUpdate = { readonly next: AnsweredWaiting; readonly change?: WaitingChange }

const readClarifications = entriesReader<Clarification>(readClarification)
const readApprovals = entriesReader<Approval>(readApproval)

/** An answer of `GET /desk/waiting` with the app's own names. Items that can't be read have a stand-in (`check-resource.ts`). */
export function inWords({ attention, approvals, ...rest }: wire.Waiting): Waiting {
  const clarifications = readClarifications(attention)
  const readable = readApprovals(approvals)
  if (rest.needs_you !== undefined) return { ...rest, clarifications, approvals: readable }
  // An older desk does not say whom an item needs, so every item counts.
  const needed = <Entry extends object>(entries: readonly Entry[]) =>
    entries.map((entry) => ({ ...entry, needs_you: true as const }))
  return { ...rest, clarifications: needed(clarifications), approvals: needed(readable) }
}

/** Makes the function that checks the entries of a list. The same list or entry always gives the same object. */
function entriesReader<Item extends Clarification | Approval>(readItem: Reader<Item>) {
  type Entry = wire.WaitingItem<Item>
  const checkEntry = (entry: Entry): readonly Entry[] => {
    const work = readWork(entry.work)
    const item = readItem(entry.item)
    if (work === undefined || item === undefined) return []
    return [work === entry.work && item === entry.item ? entry : { ...entry, work, item }]
  }
  const entryOf = remember(checkEntry)
  return remember((entries: readonly Entry[]) => entries.flatMap(entryOf))
}

function remember<Given extends object, Made>(make: (given: Given) => Made): (given: Given) => Made {
  const made = new WeakMap<Given, { readonly value: Made }>()
  return (given) => {
    const known = made.get(given) ?? { value: make(given) }
    made.set(given, known)
    return known.value
  }
}

/** Whether `answer` has the form of an answer of `GET /desk/waiting`. `inWords` checks its items. */
export const isWaiting = (answer: unknown): answer is wire.Waiting =>
  isObject(answer) && Array.isArray(answer["attention"]) && Array.isArray(answer["approvals"])

/** What is pending across all Work, as this browser received it last, and why this browser can receive nothing newer. */
export type WaitingNow = { readonly waiting: Waiting | undefined; readonly error: DeskError | undefined }

/** The only query of pending items. `follow-waiting.ts` writes it. The counts, the notifications and the inbox read it. */
const waitingOptions = queryOptions<WaitingNow>({
  queryKey: ["waiting"],
  queryFn: skipToken,
  staleTime: Infinity,
  gcTime: Infinity,
  // `follow-waiting.ts` keeps the objects that did not change. TanStack Query would compare the entries by their places in the lists.
  structuralSharing: false,
})

export const waitingKey = waitingOptions.queryKey

const NOTHING: WaitingNow = { waiting: undefined, error: undefined }

/** What is pending, or what `select` takes from it. The component is rendered only when that changes, so `select` must not return a new object each time. */
export function useWaiting(): WaitingNow
export function useWaiting<Selected>(select: (now: WaitingNow) => Selected): Selected
export function useWaiting(select: (now: WaitingNow) => unknown = (now) => now) {
  const { data } = useQuery({ ...waitingOptions, select })
  return data === undefined ? select(NOTHING) : data
}

/** Whether the desk has checked all Work, so that nothing waits that is not listed. */
export const useIsComplete = (): boolean => useWaiting(({ waiting }) => waiting?.complete === true)

/** Why nothing newer can be received: the desk doesn't answer, or reports that its upstream doesn't. Only the inbox shows this error. */
export function waitingError({ waiting, error }: WaitingNow): DeskError | undefined {
  if (error !== undefined || waiting?.problem === undefined) return error
  const { problem, retry_at } = waiting
  // `retry_at` is a moment of the desk's clock, and `retryAt` a moment of `steadyNow`.
  return errorOfProblem(problem, retry_at === undefined ? undefined : steadyNow() + Date.parse(retry_at) - deskNow())
}

/** How long a restarted desk has for checking all Work again. Then its answer alone counts. */
const CATCH_UP_MS = 60_000

/** For each complete answer: when a restarted desk first said how much Work there is. */
const listedAt = new WeakMap<Waiting, number>()

/**
 * Adds to the answer of a restarted desk the items that waited before. Its first answers lack the items of Work that it has not checked again, and
 * do not say that these items were resolved. So the items stay until the desk has checked as many Works as before, for `CATCH_UP_MS` at most.
 *
 * @param whole the last answer of a desk that had checked every Work
 * @param now the present moment in milliseconds
 */
export function keepUnchecked(whole: Waiting | undefined, answer: Waiting, now: number): Waiting {
  if (whole === undefined || answer.complete || answer.checked >= whole.checked) return answer
  // A desk that cannot read the list of Work knows nothing, so `CATCH_UP_MS` does not begin.
  if (answer.total > 0 && !listedAt.has(whole)) listedAt.set(whole, now)
  if (now - (listedAt.get(whole) ?? now) > CATCH_UP_MS) return answer
  return {
    ...answer,
    clarifications: joinItems(answer.clarifications, whole.clarifications),
    approvals: joinItems(answer.approvals, whole.approvals),
  }
}

/** Both lists as one, oldest first. Of an item in both lists the newer version counts. */
function joinItems<Item extends Clarification | Approval>(
  newer: readonly WaitingItem<Item>[],
  older: readonly WaitingItem<Item>[],
): readonly WaitingItem<Item>[] {
  const idOf = ({ work, item }: WaitingItem<Item>) => JSON.stringify([work.id, item.id])
  const ids = new Set(newer.map(idOf))
  const both = [...newer, ...older.filter((waits) => !ids.has(idOf(waits)))]
  return both.sort((one, other) => Date.parse(one.item.created_at) - Date.parse(other.item.created_at))
}

/** The items that were resolved from this browser, with their new versions. A read that began earlier may still list them. */
const resolved = new Map<string, { readonly version: bigint; readonly knownAt: number }>()
/** An item is forgotten after this time, once the desk no longer lists it. Until then another replica of the desk may still list it. */
const FORGET_MS = 60_000

/** The item that was resolved on this page last. */
export const lastResolved = createStore<Resolved | undefined>(undefined)

export type Resolved = {
  readonly variant: "clarification" | "approval"
  readonly workId: string
  readonly id: string
  readonly version: bigint
}

/** Removes an item from the pending items at once, in all tabs, because the service has confirmed the answer or the decision. */
export function removeResolved(
  client: QueryClient,
  variant: Resolved["variant"],
  item: Approval | Clarification,
): void {
  const { work_id: workId, id, version } = item
  const change = { variant, workId, id, version }
  removeResolvedElsewhere(client, change)
  lastResolved.set(change)
}

/** Removes an item that another tab has resolved. */
export function removeResolvedElsewhere(client: QueryClient, { variant, workId, id, version }: Resolved): void {
  resolved.set(keyOf(variant, workId, id), { version, knownAt: steadyNow() })
  const before = client.getQueryData(waitingKey)
  if (before !== undefined) writeUnresolved(client, before)
}

/** Takes in what was received: writes it into the query, without the items that are known to be resolved. */
export function writeWaiting(client: QueryClient, received: WaitingNow): void {
  if (received.waiting !== undefined) forgetUnlisted(received.waiting)
  writeUnresolved(client, received)
}

function forgetUnlisted({ clarifications, approvals }: Waiting): void {
  if (resolved.size === 0) return
  const listed = new Set([
    ...clarifications.map(({ item }) => keyOf("clarification", item.work_id, item.id)),
    ...approvals.map(({ item }) => keyOf("approval", item.work_id, item.id)),
  ])
  const now = steadyNow()
  for (const [key, { knownAt }] of resolved) {
    if (now - knownAt > FORGET_MS && !listed.has(key)) resolved.delete(key)
  }
}

function writeUnresolved(client: QueryClient, { waiting, error }: WaitingNow): void {
  const now = waiting && {
    ...waiting,
    clarifications: unresolvedOf("clarification", waiting.clarifications),
    approvals: unresolvedOf("approval", waiting.approvals),
  }
  client.setQueryData(waitingKey, { waiting: now, error })
}

const keyOf = (variant: Resolved["variant"], workId: string, id: string) => JSON.stringify([variant, workId, id])

/** The same list where nothing in it is resolved, so that nothing is drawn again. */
function unresolvedOf<Entry extends WaitingItem<Clarification | Approval>>(
  variant: Resolved["variant"],
  entries: readonly Entry[],
): readonly Entry[] {
  if (resolved.size === 0) return entries
  const unresolved = entries.filter(({ item }) => {
    const known = resolved.get(keyOf(variant, item.work_id, item.id))
    return known === undefined || item.version > known.version
  })
  return unresolved.length === entries.length ? entries : unresolved
}
