/** The steps of a Work, such as a question or a result, each with the events that were reported after it. */
import type { RecordEntry } from "../../contract/desk-work.ts"
import type { Approval, Artifact, Attention, Work } from "../../contract/resources.ts"
import { unreadOf } from "../client/check-resource.ts"
import { inboxAddress } from "../inbox/addresses.ts"
import { plural } from "../../contract/plural.ts"
import { momentOf } from "../ui/time-words.ts"
import { summarise } from "./event-line.ts"
import type { FilteredEvents } from "./feed-filter.ts"
import type { FeedEvent } from "./received-events.ts"

export type StepKind =
  | ("created" | "started" | "paused" | "asked" | "answered" | "requested" | "approved" | "declined")
  | ("results" | "done")

/** Something that is known to have happened. `at` is in ms since 1970. */
export type Step = {
  readonly key: string
  readonly kind: StepKind
  readonly at: number
  readonly words: string
  /** The question, answer or result itself: a text from outside. */
  readonly about?: string
  /** The address of the item, while it is pending. */
  readonly to?: string
}

/** An answer that was sent from this browser. Nobody else knows its text. */
type OwnAnswer = { readonly id: string; readonly text?: string }

/** What is known about a Work besides its events. Lists that have not been read yet are left out. */
export type KnownOfWork = {
  readonly work?: Work | undefined
  readonly approvals?: readonly Approval[] | undefined
  readonly artifacts?: readonly Artifact[] | undefined
  /** Open clarifications: the service lists no others. */
  readonly clarifications?: readonly Attention[] | undefined
  /** The desk's record of the Work, in any order. */
  readonly record?: readonly RecordEntry[] | undefined
  readonly answers?: readonly OwnAnswer[] | undefined
}

/** A step with the events that were reported before the next step, oldest first. Without a step: the events before all steps. */
export type StepGroup = { readonly step: Step | undefined; readonly reports: readonly FeedEvent[] }

/** Event types of the embedded service that show that a colleague is working; the first such event is the start. Other services may differ. */
const STARTS: readonly string[] = ["metronome.started", "input.read", "input.none", "input.unreadable"]
const PAUSE = "work.paused"

/** The steps that are known without any event, the oldest first. */
export function knownSteps(known: KnownOfWork): readonly Step[] {
  const steps = [...workSteps(known), ...clarificationSteps(known), ...approvalSteps(known)]
  return inOrder([...steps, ...resultSteps(known, steps)])
}

const inOrder = (steps: readonly Step[]) => steps.toSorted((one, other) => one.at - other.at)

/** A step at an ISO moment; nothing if the moment is missing or malformed. */
function stepAt(at: string | undefined, step: Omit<Step, "at">): readonly Step[] {
  const moment = at === undefined ? undefined : momentOf(at)
  return moment === undefined ? [] : [{ ...step, at: moment }]
}

function recorded(known: KnownOfWork, operation: string, itemId?: string): RecordEntry | undefined {
  return known.record?.find(
    (entry) =>
      entry.operation === operation &&
      entry.outcome === "recorded" &&
      (itemId === undefined || entry.item_id === itemId),
  )
}

/** " by Ben Okafor"; empty if nobody knows, or in local mode. */
const by = (entry: RecordEntry | undefined) =>
  entry === undefined || entry.person.id === "local" ? "" : ` by ${entry.person.name}`

function workSteps(known: KnownOfWork): readonly Step[] {
  const { work } = known
  if (work === undefined || unreadOf(work) !== undefined) return []
  const created = `Created${by(recorded(known, "createWork"))}`
  return [
    ...stepAt(work.created_at, { key: "created", kind: "created", words: created }),
    ...(work.status === "done" ? stepAt(work.updated_at, { key: "done", kind: "done", words: "Done" }) : []),
  ]
}

function clarificationSteps(known: KnownOfWork): readonly Step[] {
  const asked = (known.clarifications ?? []).flatMap((item) =>
    stepAt(item.created_at, {
      key: `asked ${item.id}`,
      kind: "asked",
      words: "Asked a question",
      about: item.title,
      to: inboxAddress("/needs-you", item.work_id, item.id),
    }),
  )
  const entries = (known.record ?? []).filter(
    ({ operation, outcome }) => operation === "resolveWorkAttention" && outcome === "recorded",
  )
  const answered = entries.flatMap((entry) => {
    const own = known.answers?.find(({ id }) => id === entry.item_id)
    const about = own?.text === undefined ? entry.summary : `“${own.text}”`
    return stepAt(entry.at, {
      key: `answered ${String(entry.sequence)}`,
      kind: "answered",
      words: `Answered${by(entry)}`,
      ...(about !== undefined && { about }),
    })
  })
  return [...asked, ...answered]
}

function approvalSteps(known: KnownOfWork): readonly Step[] {
  return (known.approvals ?? []).flatMap((approval) => {
    const { id, status, resolution_comment: comment } = approval
    const asked = stepAt(approval.created_at, {
      key: `requested ${id}`,
      kind: "requested",
      words: "Asked for approval",
      about: approval.summary,
      ...(status === "pending" && { to: inboxAddress("/approvals", approval.work_id, id) }),
    })
    if (status !== "approved" && status !== "declined") return asked
    const entry = recorded(known, "resolveWorkApproval", id)
    const decided = stepAt(approval.resolved_at ?? entry?.at, {
      key: `decided ${id}`,
      kind: status,
      words: `${status === "approved" ? "Approved" : "Declined"}${by(entry)}`,
      ...(comment !== undefined && comment !== "" && { about: `“${comment}”` }),
    })
    return [...asked, ...decided]
  })
}

/** A step of results names at most this many paths. */
const PATHS_MAX = 5

/** Results with no other step between them are one step. */
function resultSteps({ artifacts = [] }: KnownOfWork, others: readonly Step[]): readonly Step[] {
  const dated = artifacts
    .flatMap((artifact) => {
      const at = unreadOf(artifact) === undefined ? momentOf(artifact.created_at) : undefined
      return at === undefined ? [] : [{ at, path: artifact.path }]
    })
    .toSorted((one, other) => one.at - other.at)
  const groups: { at: number; path: string }[][] = []
  for (const result of dated) {
    const group = groups.at(-1)
    const before = group?.at(-1)?.at ?? 0
    const isTogether = !others.some(({ at }) => before < at && at <= result.at)
    if (group !== undefined && isTogether) group.push(result)
    else groups.push([result])
  }
  return groups.map((group) => ({
    key: `results ${String(group[0]?.at)}`,
    kind: "results",
    at: group.at(-1)?.at ?? 0,
    words: plural(group.length, "result"),
    about:
      group
        .slice(0, PATHS_MAX)
        .map(({ path }) => path)
        .join(", ") + (group.length > PATHS_MAX ? ` and ${String(group.length - PATHS_MAX)} more` : ""),
  }))
}

type Received = {
  readonly events: FilteredEvents
  /** Events with a lower index came when the page was opened, so their time of arrival means nothing. */
  readonly firstLive: number
  /** Whether the events have the types of the embedded service. */
  readonly isEmbedded: boolean
}

/**
 * Folds each event under the last step before it. An event without a time of its own is placed by its arrival, or before all steps if it came when
 * the page was opened. Returns the groups with the newest step first. No event is left out.
 */
export function foldReports(known: readonly Step[], { events, firstLive, isEmbedded }: Received): readonly StepGroup[] {
  const reported = isEmbedded ? reportedSteps(events) : []
  const steps = inOrder([...known, ...reported])
  const folds = new Map<Step | undefined, FeedEvent[]>([[undefined, []]])
  for (const step of steps) folds.set(step, [])
  for (let position = 0; position < events.length; position++) {
    const event = events.at(position)
    if (event !== undefined) folds.get(lastBefore(steps, timeOf(event, firstLive)))?.push(event)
  }
  return [...folds]
    .filter(([step, folded]) => step !== undefined || folded.length > 0)
    .map(([step, folded]) => ({ step, reports: folded }))
    .toReversed()
}

/** The steps that are known only from events. Those events are reports too. */
function reportedSteps(events: FilteredEvents): readonly Step[] {
  const steps: Step[] = []
  let hasStarted = false
  for (let position = 0; position < events.length; position++) {
    const event = events.at(position)
    if (event === undefined) continue
    const at = summarise(event).happened?.at
    const key = `event ${String(event.index)}`
    if (event.type === PAUSE) steps.push(...stepAt(at, { key, kind: "paused", words: "Paused" }))
    if (hasStarted || !STARTS.includes(event.type)) continue
    hasStarted = true
    steps.push(...stepAt(at, { key, kind: "started", words: "Started" }))
  }
  return steps
}

/** The time by which an event is placed among the steps; before all steps if it is unknown. */
function timeOf(event: FeedEvent, firstLive: number): number {
  const { happened } = summarise(event)
  if (happened !== undefined) return Date.parse(happened.at)
  return event.index < firstLive ? -Infinity : event.receivedAt
}

function lastBefore(steps: readonly Step[], time: number): Step | undefined {
  let [low, high] = [0, steps.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((steps[middle]?.at ?? Infinity) <= time) low = middle + 1
    else high = middle
  }
  return steps[low - 1]
}
