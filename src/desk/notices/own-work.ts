/**
 * Notices about people's own Work (`docs/notices.md`, "Results of your own Work"). Each step becomes a row of `notice` for each channel and each person
 * who wants it. The row is in no delivery until the person's choice lets it leave.
 */
import type { NoticeChoice } from "../../contract/desk-people.ts"
import type { DeskQueries } from "../insight/desk-queries.ts"
import { peopleOf } from "../record/creators-and-deciders.ts"
import type { WorkPeople } from "../record/work-people.ts"
import type { Reader } from "../store/database.ts"
import type { VisibleWorkCache } from "../watcher/visible-work.ts"
import type { Watcher } from "../watcher/watcher.ts"
import type { NewDelivery, Notice } from "./channel.ts"
import { type WorkAction, mayBeAction, readActions } from "./work-participants.ts"
import { isInUse, isQuiet } from "./leave-times.ts"
import type { OwnNotice } from "./own-notices.ts"
import type { Person } from "./people-now.ts"
import type { WorkStep } from "./work-steps.ts"

const STOOD_IN = ["stood-in done", "stood-in paused", "stood-in declined", "stood-in approved"] as const
/** Of several steps of one Work, a short message names the first in this order. */
export const OWN_STEPS = ["own done", "own paused", "own declined", "own approved", "part done", ...STOOD_IN] as const
/** A step as it concerns one person. `part done`: the end of a Work that the person did not create, and answered or decided in. `stood-in`: of a person who is away. */
export type OwnStep = (typeof OWN_STEPS)[number]

const toOwnStep = (text: string) => OWN_STEPS.find((step) => step === text)

/** Whether a delivery with these notices is about a person's own Work. No delivery is about anything else besides. */
export const isAboutOwnWork = (notices: readonly Notice[]) => notices.some(({ step }) => toOwnStep(step) !== undefined)

export const SENTENCES: Readonly<Record<OwnStep, string>> = {
  "own done": "Your Work is done",
  "own paused": "Your Work is paused",
  "own approved": "An approval of your Work was approved",
  "own declined": "An approval of your Work was declined",
  "part done": "A Work that you answered in is done",
  "stood-in done": "Stand-in: Work is done",
  "stood-in paused": "Stand-in: Work is paused",
  "stood-in approved": "Stand-in: an approval was approved",
  "stood-in declined": "Stand-in: an approval was declined",
}

/** Whether a person wants notices of a step at all. */
export function wantsStep({ own_work: choice }: Pick<NoticeChoice, "own_work">, step: OwnStep): boolean {
  return choice === "steps" || (choice === "end" && !step.endsWith(" approved"))
}

/** A channel: whom it notifies of their own Work, and since when it exists. */
export type OwnWorkChannel = {
  readonly name: string
  readonly notifies: (person: Person) => boolean
  readonly since: number
}

/**
 * The notices of steps, for each channel: to each creator of the Work who wants the step, unless they took it themselves. People who answered or
 * decided in a Work are notified of its end alone. If a creator is away, their stand-in is notified if they can see the Work (`sees`); otherwise the
 * notice waits until the creator is back. @throws StoreUnavailableError
 */
export async function toOwnNotices(
  store: Reader,
  steps: readonly WorkStep[],
  channels: readonly OwnWorkChannel[],
  people: ReadonlyMap<string, Person>,
  now: number,
  sees: (person: Person, workId: string) => Promise<boolean>,
): Promise<readonly OwnNotice[]> {
  if (steps.length === 0) return []
  const workIds = [...new Set(steps.map(({ workId }) => workId))]
  const creatorsOf = await peopleOf(store, workIds)
  const actions = await readActions(store, workIds)
  const found = steps.map(async (step) => {
    const { workId, itemId, version, priority } = step
    const creators = [...(creatorsOf.get(workId)?.creators.keys() ?? [])]
    const concerned = await findConcerned(step, creators, actions.get(workId) ?? [], people, sees)
    return channels.flatMap(({ name: channel, since, notifies }) =>
      [...concerned].flatMap(([recipient, own]) => {
        const person = people.get(recipient)
        if (step.at <= since || person === undefined || !notifies(person)) return []
        if (!wantsStep(person.choice, own)) return []
        const urgent = priority === "urgent" ? 1 : 0
        const key = { channel, recipient, workId, itemId, version, step: own }
        return [{ ...key, urgent, seenAt: now, notified: new Map<string, Set<string>>() }]
      }),
    )
  })
  return (await Promise.all(found)).flat()
}

/** The people whom a step of a Work concerns, by id, each with the step as it concerns them. */
async function findConcerned(
  step: WorkStep,
  creators: readonly string[],
  actions: readonly WorkAction[],
  people: ReadonlyMap<string, Person>,
  sees: (person: Person, workId: string) => Promise<boolean>,
): Promise<ReadonlyMap<string, OwnStep>> {
  const doers = actions.filter((action) => mayBeAction(action, step)).map(({ personId }) => personId)
  const toWhom = async (creatorId: string): Promise<readonly [string, OwnStep]> => {
    const standIn = people.get(creatorId)?.away?.standIn
    // A stand-in who took the step knows of it. A stand-in who also created the Work is notified as its creator.
    const isFree = standIn !== undefined && !doers.includes(standIn.id) && !creators.includes(standIn.id)
    const hasStandIn = isFree && (await sees(standIn, step.workId))
    return hasStandIn ? [standIn.id, `stood-in ${step.step}`] : [creatorId, `own ${step.step}`]
  }
  // Two creators who are away may have the same stand-in.
  const concerned = new Map(await Promise.all(creators.filter((id) => !doers.includes(id)).map(toWhom)))
  if (step.step !== "done") return concerned
  for (const { personId, isConfirmed } of actions)
    if (isConfirmed && !creators.includes(personId) && !concerned.has(personId)) concerned.set(personId, "part done")
  return concerned
}

/**
 * Which notices of a person may leave. `now`: all, because their hourly or daily mail is due. `at-once`: all, once the batch is over and while the
 * person doesn't use the desk. `urgent`: those of urgent Work, under the same conditions.
 */
export type OwnTiming = "at-once" | "urgent" | "now" | "nothing"

export type OwnQuestion = {
  readonly own: readonly OwnNotice[]
  readonly now: number
  /** How long a first notice waits for more. */
  readonly batchMs: number
  readonly people: ReadonlyMap<string, Person>
  readonly timingOf: (person: Person) => OwnTiming
}

/** What leaves now for a person. `isUrgent`: some of it is about urgent Work. */
type OwnDelivery = NewDelivery & { readonly isUrgent: boolean }

/** The notices of own Work that leave now, in one delivery for each person. Nothing leaves in quiet hours. */
export function findOwnDeliveries({ own, now, batchMs, people, timingOf }: OwnQuestion): readonly OwnDelivery[] {
  return [...Map.groupBy(own, ({ recipient }) => recipient)].flatMap(([recipient, notices]) => {
    const person = people.get(recipient)
    if (person === undefined || person.away !== undefined || isQuiet(person.choice, now)) return []
    const timing = timingOf(person)
    if (timing === "nothing") return []
    // What is from before the person came back leaves with the mail that they choose.
    const isUrgentNow = ({ urgent, seenAt }: OwnNotice) => urgent === 1 && seenAt >= person.backAt
    const leaving = notices.filter((notice) => timing !== "urgent" || isUrgentNow(notice))
    const isBatchOver = leaving.some(({ seenAt }) => now - seenAt >= batchMs)
    const mayLeave = timing === "now" || (isBatchOver && !isInUse(person, now))
    if (!mayLeave || leaving.length === 0) return []
    const isUrgent = leaving.some(({ urgent }) => urgent === 1)
    return [{ recipient, isUrgent, notices: leaving.map((item) => ({ item, step: item.step })) }]
  })
}

/** One line of a notice: a sentence (`SENTENCES`), and the Work that it is about. */
export type OwnLine = { readonly step: OwnStep; readonly workId: string }

/** Shortens lines: to the number of Works, and their most important step. There must be a line. */
export function sumUp(lines: readonly OwnLine[]): { readonly works: number; readonly first: OwnStep } {
  const steps = new Set(lines.map(({ step }) => step))
  const first = OWN_STEPS.find((step) => steps.has(step))
  if (first === undefined) throw new TypeError("there are no lines")
  return { works: new Set(lines.map(({ workId }) => workId)).size, first }
}

export type OwnSources = {
  readonly queries: Pick<DeskQueries, "doneWork" | "areDoneWorksListed"> & {
    readonly watcher: Pick<Watcher, "wake"> & { readonly visibleWork: Pick<VisibleWorkCache, "seesWork"> }
  }
  /** Undefined in local mode. */
  readonly workPeople: Pick<WorkPeople, "refresh"> | undefined
}

/** Whether a person sees a Work now. @throws StoreUnavailableError */
export async function seesWork({ queries, workPeople }: OwnSources, { viewer }: Person, workId: string) {
  await workPeople?.refresh([workId])
  return queries.watcher.visibleWork.seesWork(viewer, workId)
}

/** The lines that still apply: wanted steps of visible Works, no pause that is over. `unread`: soon known. @throws StoreUnavailableError */
export async function findOwn(
  { queries, workPeople }: OwnSources,
  { choice, viewer }: Person,
  notices: readonly Notice[],
): Promise<readonly OwnLine[] | "unread"> {
  const state = queries.watcher.wake()
  const { level } = state.knownWhole()
  if (level === "unknown") return "unread"
  await workPeople?.refresh(notices.map(({ workId }) => workId))
  const lines: OwnLine[] = []
  for (const { workId, step: text } of notices) {
    const step = toOwnStep(text)
    if (step === undefined || !wantsStep(choice, step)) continue
    const open = state.works.get(workId)
    if (step.endsWith(" paused")) {
      // A Work that went on and is paused again has one pause that is not over.
      const isListed = lines.some((line) => line.workId === workId && line.step === step)
      if (isListed) continue
      // A Work that the watcher has not seen since it began may still be paused.
      if (open === undefined ? level !== "whole" : !open.seenInList) return "unread"
      if (open?.work.status !== "paused") continue
    }
    if (queries.watcher.visibleWork.seesWork(viewer, workId)) lines.push({ step, workId })
    else if (open === undefined && queries.doneWork(workId) === undefined && !queries.areDoneWorksListed)
      return "unread"
  }
  return lines
}
