/** The pending items in the app: their types, the check of an answer, and the query that holds them. */
import { queryOptions, skipToken, useQuery } from "@tanstack/react-query"
import type * as wire from "../../contract/desk-work.ts"
import type { WaitingChange } from "../../contract/waiting-change.ts"
import type { Approval, Attention } from "../../contract/resources.ts"
import { deskNow, steadyNow } from "./clock.ts"
import { type DeskError, errorOfProblem } from "./desk-error.ts"
import { readApproval, readClarification, type Reader, readWork } from "./check-resource.ts"
import { isObject } from "./value-schema.ts"

/** A question of a colleague. openapi.yaml calls it an attention item; the app says clarification everywhere. */
export type Clarification = Attention

type SentFacts = Omit<wire.WaitingApproval, "work" | "item">
/** What the desk says about a pending item, besides the item: who looks at it, who has it, by when it is to be decided. */
export type TeamFacts = { readonly [Fact in keyof SentFacts]?: SentFacts[Fact] | undefined }

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
export function toWaiting({ attention, approvals, ...rest }: wire.Waiting): Waiting {
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

/** Whether `answer` has the form of an answer of `GET /desk/waiting`. `toWaiting` checks its items. */
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
