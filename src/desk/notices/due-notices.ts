/** Decides whom a channel notifies now of new, handed over, due and escalated items. It is a pure function. Times are milliseconds since 1970. */
import type { NoticeChoice } from "../../contract/desk-people.ts"
import { Turns } from "../../platform/turns.ts"
import type { AblePeople } from "./able-people.ts"
import type { OwnTiming } from "./own-work.ts"
import { isNotified, stepKey } from "./known-items.ts"
import { HOUR_MS, isInUse, isQuiet, isSlotDue } from "./leave-times.ts"
import type { Person } from "./people-now.ts"
import type { Escalation, WaitingItem } from "./waiting-items.ts"

/** The first notice of an item in a version. The store has always called it `told`. */
export const FIRST_NOTICE = "told"

/** Why somebody is notified of an item. `escalated` is followed by a space and the rule. */
export type Step = typeof FIRST_NOTICE | "handed" | "reminded" | `escalated ${string}`

export type DueItem = { readonly item: WaitingItem; readonly steps: readonly Step[] }

/** What one recipient is notified of now, in one delivery. */
export type DueNotices = {
  /** A person's id, or `mailbox:` and an address. */
  readonly recipient: string
  /** For an escalation: how long its approvals have been pending at least, in milliseconds. */
  readonly escalatedAfterMs?: number
  readonly items: readonly DueItem[]
}

export type DueQuery = {
  /** The name of the channel. */
  readonly channel: string
  readonly now: number
  /** When the desk last looked. An hourly or daily mail is due when its time has come since then. */
  readonly lastLookAt: number
  /** How long a first new item waits for more, so that they leave in one delivery. */
  readonly batchMs: number
  readonly items: readonly WaitingItem[]
  readonly people: AblePeople
  /** Whom the channel reaches, and how. Left out: by mail. */
  readonly reach?: Reach
}

/** A person as a channel reaches them. Undefined: the channel can't reach the person. */
export type Reach = (person: Person) => ReachedPerson | undefined

export type ReachedPerson = {
  /** With the choice that the channel goes by. */
  readonly person: Person
  /** Since when the channel reaches the person. Nothing from before is sent. */
  readonly reachedSince: number
}

const byMail: Reach = (person) => (person.address === undefined ? undefined : { person, reachedSince: 0 })

/** A person who may be notified now, and the items found for them. */
type Candidate = ReachedPerson & {
  /** Which new items the person's choice lets leave now. */
  readonly allowed: "nothing" | "urgent" | "everything"
  /** Whether the time of an hourly or daily mail has come. */
  readonly isDigestDue: boolean
  /** Allowed items that the person wasn't notified of. */
  readonly newItems: WaitingItem[]
  /** Whether a desk has known one of `newItems` for `batchMs`. The store keeps when a desk first saw an item, so a restart delays no mail. */
  isBatchOver: boolean
  readonly handed: WaitingItem[]
  readonly reminded: WaitingItem[]
}

type DueEscalation = DueNotices & { readonly items: DueItem[] }

/** Lets other work run between the items. */
export async function findDueNotices(query: DueQuery): Promise<readonly DueNotices[]> {
  const turns = new Turns()
  const candidates = new Map<string, Candidate>()
  const { reach = byMail } = query
  for (const person of query.people.all.values()) {
    const reached = reach(person)
    if (reached !== undefined) candidates.set(person.id, toCandidate(reached, query))
  }
  const findRecipients = createFindRecipients(candidates)
  const escalations = new Map<string, DueEscalation>()
  for (const item of query.items) {
    collectNew(item, query, findRecipients)
    collectHandedAndReminded(item, query, candidates)
    collectEscalated(item, query, candidates, escalations)
    if (turns.isOver()) await turns.next()
  }
  await turns.next()
  const due = [...candidates.values()].flatMap((candidate) => toDueNotices(candidate, query) ?? [])
  return [...due, ...escalations.values()]
}

function toCandidate({ person, reachedSince }: ReachedPerson, { lastLookAt, now }: DueQuery): Candidate {
  const isDigestDue = isDigestDueNow(person.choice, lastLookAt, now)
  const allowed = allowedBy(person.choice, isDigestDue)
  return { person, reachedSince, allowed, isDigestDue, newItems: [], isBatchOver: false, handed: [], reminded: [] }
}

/** Whether a person has chosen an hourly or daily mail, and its time has come since the desk last looked. */
const isDigestDueNow = (choice: NoticeChoice, lastLookAt: number, now: number) =>
  (choice.mail === "hourly" || choice.mail === "daily") && isSlotDue(choice, lastLookAt, now)

/** When a mail about a person's own Work may leave, by the person's choice. */
export function ownTimingOf(choice: NoticeChoice, lastLookAt: number, now: number): OwnTiming {
  if (isDigestDueNow(choice, lastLookAt, now)) return "now"
  const allowed = allowedBy(choice, false)
  return allowed === "everything" ? "at-once" : allowed
}

function allowedBy({ mail, urgent_at_once }: NoticeChoice, isDigestDue: boolean): Candidate["allowed"] {
  if (mail === "off") return "nothing"
  if (isDigestDue || mail === "at-once") return "everything"
  return urgent_at_once ? "urgent" : "nothing"
}

/** Finds the people who may decide an item and whose choice lets it leave now. */
type FindRecipients = (item: WaitingItem, people: AblePeople) => readonly Candidate[]

function createFindRecipients(candidates: ReadonlyMap<string, Candidate>): FindRecipients {
  const findForUrgent = createFindAmong(candidates, ({ allowed }) => allowed !== "nothing")
  const findForOther = createFindAmong(candidates, ({ allowed }) => allowed === "everything")
  return (item, people) =>
    item.watched.work.priority === "urgent" ? findForUrgent(item, people) : findForOther(item, people)
}

function createFindAmong(
  candidates: ReadonlyMap<string, Candidate>,
  isRecipient: (candidate: Candidate) => boolean,
): FindRecipients {
  const hasAnyRecipient = candidates.values().some(isRecipient)
  // Many items have the same list of able people.
  const cache = new Map<readonly string[], readonly Candidate[]>()
  return (item, people) => {
    // Finding the able people is slow, and useless if nobody is notified.
    if (!hasAnyRecipient) return []
    const able = people.of(item)
    const cached = cache.get(able)
    if (cached !== undefined) return cached
    const recipients = able.flatMap((id) => candidates.get(id) ?? []).filter(isRecipient)
    cache.set(able, recipients)
    return recipients
  }
}

/** Adds a new item to each person who may decide it, whose choice lets it leave now, and who wasn't notified of it. */
function collectNew(item: WaitingItem, query: DueQuery, findRecipients: FindRecipients): void {
  const { channel, people, now, batchMs } = query
  const notified = item.known.notified.get(stepKey(channel, FIRST_NOTICE))
  const isBatchOver = now - item.known.seenAt >= batchMs
  for (const candidate of findRecipients(item, people)) {
    if (isTooOld(item, candidate) || waitsForDigest(item, candidate)) continue
    if (notified?.has(candidate.person.id) === true || !mayBeNotified(item, candidate.person)) continue
    candidate.newItems.push(item)
    candidate.isBatchOver ||= isBatchOver
  }
}

/**
 * Whether an item is from before the channel reached the person: a desk saw the item before then, or it is in its first version and was created more
 * than an hour before then. The second case is for a desk that is new or couldn't reach the service, and so sees old items for the first time.
 */
function isTooOld({ known, since }: WaitingItem, { reachedSince }: ReachedPerson): boolean {
  return known.seenAt < reachedSince || (known.version === "1" && since < reachedSince - HOUR_MS)
}

/** Whether an urgent item waits for the person's next digest, because it is from before the end of their absence. */
function waitsForDigest({ known }: WaitingItem, { allowed, person }: Candidate): boolean {
  return allowed === "urgent" && known.seenAt < person.backAt
}

/**
 * Adds an item that was handed over to the person who got it, and an item whose reminder is due to everybody who may decide it. Both only if that
 * happened after the person came back from an absence and after the channel reached them.
 */
function collectHandedAndReminded(
  item: WaitingItem,
  query: DueQuery,
  candidates: ReadonlyMap<string, Candidate>,
): void {
  const { channel, now, people } = query
  const handedAt = item.givenTo?.byAnother === true ? item.givenTo.at : undefined
  const remindedAt = item.remindAt !== undefined && item.remindAt <= now ? item.remindAt : undefined
  if (handedAt === undefined && remindedAt === undefined) return
  for (const id of people.of(item)) {
    const candidate = candidates.get(id)
    if (candidate === undefined || !mayBeNotified(item, candidate.person)) continue
    const { handed, reminded, reachedSince, person } = candidate
    const newSince = Math.max(reachedSince, person.backAt)
    const isDue = (at: number | undefined, step: Step) =>
      at !== undefined && at >= newSince && !isNotified(item.known, channel, step, id)
    if (isDue(handedAt, "handed")) handed.push(item)
    if (isDue(remindedAt, "reminded")) reminded.push(item)
  }
}

/** Adds an item to the escalations to the members and mailboxes of each rule whose time is over. */
function collectEscalated(
  item: WaitingItem,
  { channel, now, people }: DueQuery,
  candidates: ReadonlyMap<string, Candidate>,
  escalations: Map<string, DueEscalation>,
): void {
  const add = ({ rule, afterMs }: Escalation, recipient: string) => {
    const step: Step = `escalated ${rule}`
    if (isNotified(item.known, channel, step, recipient)) return
    const key = JSON.stringify([recipient, afterMs])
    const due = escalations.get(key) ?? { recipient, escalatedAfterMs: afterMs, items: [] }
    escalations.set(key, due)
    // Two rules with the same time may name the same recipient, who gets one line about the item.
    const last = due.items.at(-1)
    if (last?.item === item) due.items[due.items.length - 1] = { item, steps: [...last.steps, step] }
    else due.items.push({ item, steps: [step] })
  }
  for (const escalation of item.escalations) {
    if (now < escalation.at) continue
    const able = people.of(item)
    const mayDecide = ({ id }: Person) => able.includes(id)
    const step: Step = `escalated ${escalation.rule}`
    for (const id of able) {
      const person = candidates.get(id)?.person
      if (person !== undefined && mayStillBeNotified(item, step, person, mayDecide)) add(escalation, id)
    }
    for (const address of escalation.mailboxes) add(escalation, `mailbox:${address}`)
  }
}

/** Whether a person may be notified, except by escalations: mail is on, they are here, haven't set the item aside, and no other people have it. */
function mayBeNotified({ givenTo, givenToTeam, notFor }: WaitingItem, person: Person): boolean {
  if (person.choice.mail === "off" || person.away !== undefined || notFor.includes(person.id)) return false
  const representedPeople = [person, ...person.standsInFor]
  const isInTeam = (team: string) => representedPeople.some(({ viewer }) => viewer.teams.includes(team))
  if (givenToTeam !== undefined && !isInTeam(givenToTeam)) return false
  return givenTo === undefined || representedPeople.some(({ id }) => givenTo.personId === id)
}

/** Whether a person who may decide a pending item may be notified of a step. `mayDecide`: whether another person may decide the item. */
export function mayStillBeNotified(
  item: WaitingItem,
  step: Step,
  person: Person,
  mayDecide: (other: Person) => boolean,
): boolean {
  if (!step.startsWith("escalated ")) return mayBeNotified(item, person)
  const representedPeople = [person, ...person.standsInFor]
  const names = ({ rule, isMember }: Escalation) => step === `escalated ${rule}` && representedPeople.some(isMember)
  // An escalation must reach somebody: it reaches a person who is away, unless they have a stand-in who may decide.
  const standIn = person.away?.standIn
  const hasStandIn = standIn !== undefined && mayDecide(standIn)
  return person.choice.mail !== "off" && !hasStandIn && item.escalations.some(names)
}

/**
 * What a person is notified of now, without escalations. Undefined: nothing.
 *
 * | items       | leave when                                                                          |
 * | ----------- | ----------------------------------------------------------------------------------- |
 * | all         | never in quiet hours                                                                |
 * | handed over | at once                                                                             |
 * | reminders   | the person doesn't use the desk                                                     |
 * | new         | an hourly or daily mail is due, or the batch is over and the person doesn't use the desk |
 */
function toDueNotices(candidate: Candidate, { now }: DueQuery): DueNotices | undefined {
  const { person, isDigestDue, newItems, isBatchOver, handed, reminded } = candidate
  if (newItems.length + handed.length + reminded.length === 0 || isQuiet(person.choice, now)) return undefined
  const isElsewhere = !isInUse(person, now)
  const leaving = isDigestDue || (isBatchOver && isElsewhere) ? newItems : []
  const items = withSteps(leaving, handed, isElsewhere ? reminded : [])
  return items.length === 0 ? undefined : { recipient: person.id, items }
}

/** The items with their steps. A hand-over or a reminder counts as the first notice of its item, too. */
function withSteps(
  newItems: readonly WaitingItem[],
  handed: readonly WaitingItem[],
  reminded: readonly WaitingItem[],
): readonly DueItem[] {
  const steps = new Map<WaitingItem, readonly Step[]>(newItems.map((item) => [item, [FIRST_NOTICE]]))
  const add = (item: WaitingItem, step: Step) => steps.set(item, [...(steps.get(item) ?? [FIRST_NOTICE]), step])
  for (const item of handed) add(item, "handed")
  for (const item of reminded) add(item, "reminded")
  return [...steps].map(([item, itsSteps]) => ({ item, steps: itsSteps }))
}
