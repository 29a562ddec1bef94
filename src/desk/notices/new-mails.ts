/** Finds the mails that leave now: a function without store, mail server and clock, which changes nothing. Moments are milliseconds since 1970. */
import type { NoticeChoice } from "../../contract/desk-people.ts"
import { Turns } from "../../platform/turns.ts"
import type { AblePeople } from "./able-people.ts"
import type { OwnTiming } from "./own-work.ts"
import { isNotified, stepKey } from "./known-items.ts"
import { HOUR_MS, isInUse, isQuiet, isSlotDue } from "./leave-times.ts"
import type { Person } from "./people-now.ts"
import type { Escalation, WaitingItem } from "./waiting-items.ts"

/** The first notice of an item is the step `told`, as the store names it. `escalated` is followed by a space and the rule. */
export type Step = "told" | "handed" | "reminded" | `escalated ${string}`

export type MailItem = { readonly item: WaitingItem; readonly steps: readonly Step[] }

export type NewMail = {
  /** A person's id, or `mailbox:` and an address. */
  readonly recipient: string
  /** For an escalation: how long its approvals have waited at least, in milliseconds. */
  readonly escalatedAfterMs?: number
  readonly items: readonly MailItem[]
}

export type MailQuestion = {
  /** Whose notices are asked for: a name of a channel. */
  readonly channel: string
  readonly now: number
  /** When the desk asked the last time. An hourly or daily mail leaves when its time has come since then. */
  readonly before: number
  /** How long a first item waits for more before a mail "at once" leaves. */
  readonly batchMs: number
  readonly items: readonly WaitingItem[]
  readonly people: AblePeople
  /** Whom the channel reaches, and how. Left out: by mail. */
  readonly reach?: Reach
}

/** A person as a channel reaches them. Undefined: it does not. */
export type Reach = (person: Person) => Reached | undefined

export type Reached = {
  /** With the choice that holds for the channel. */
  readonly person: Person
  /** What was there before this moment is not told. */
  readonly from: number
}

const byMail: Reach = (person) => (person.address === undefined ? undefined : { person, from: 0 })

/** A person to whom a mail may leave, and the items for this mail. */
type Candidate = Reached & {
  /** Which items the person wishes to hear of now. */
  readonly wishes: "nothing" | "urgent" | "everything"
  /** Whether the time of an hourly or daily mail has come. */
  readonly isSlot: boolean
  /** The items that the person wishes to hear of and was not notified of. */
  readonly unheard: WaitingItem[]
  /** Whether one of them has waited for `batchMs` since a desk first saw it. The store keeps that moment, so that a restart delays no mail. */
  isBatchOver: boolean
  readonly handed: WaitingItem[]
  readonly reminded: WaitingItem[]
}

type EscalationMail = NewMail & { readonly items: MailItem[] }

/** Lets other work run between the items. */
export async function findNewMails(question: MailQuestion): Promise<readonly NewMail[]> {
  const turns = new Turns()
  const candidates = new Map<string, Candidate>()
  const { reach = byMail } = question
  for (const person of question.people.all.values()) {
    const reached = reach(person)
    if (reached !== undefined) candidates.set(person.id, toCandidate(reached, question))
  }
  const choose = createRecipientChoice(candidates)
  const escalated = new Map<string, EscalationMail>()
  for (const item of question.items) {
    collectNew(item, question, choose)
    collectClaimed(item, question, candidates)
    collectEscalated(item, question, candidates, escalated)
    if (turns.isOver()) await turns.next()
  }
  await turns.next()
  const mails = [...candidates.values()].flatMap((candidate) => toMail(candidate, question) ?? [])
  return [...mails, ...escalated.values()]
}

function toCandidate({ person, from }: Reached, { before, now }: MailQuestion): Candidate {
  const isSlot = isSlotNow(person.choice, before, now)
  const wishes = timingOf(person.choice, isSlot)
  return { person, from, wishes, isSlot, unheard: [], isBatchOver: false, handed: [], reminded: [] }
}

const isSlotNow = (choice: NoticeChoice, before: number, now: number) =>
  (choice.mail === "hourly" || choice.mail === "daily") && isSlotDue(choice, before, now)

/** What lets a mail about own Work leave now. */
export function ownTimingOf(choice: NoticeChoice, before: number, now: number): OwnTiming {
  if (isSlotNow(choice, before, now)) return "now"
  const wishes = timingOf(choice, false)
  return wishes === "everything" ? "at-once" : wishes
}

function timingOf({ mail, urgent_at_once }: NoticeChoice, isSlot: boolean): Candidate["wishes"] {
  if (mail === "off") return "nothing"
  if (isSlot || mail === "at-once") return "everything"
  return urgent_at_once ? "urgent" : "nothing"
}

/** Gives the able people who wish to hear of an item now. */
type ChooseRecipients = (item: WaitingItem, people: AblePeople) => readonly Candidate[]

function createRecipientChoice(candidates: ReadonlyMap<string, Candidate>): ChooseRecipients {
  const ofUrgent = recipientsAmong(candidates, ({ wishes }) => wishes !== "nothing")
  const ofOther = recipientsAmong(candidates, ({ wishes }) => wishes === "everything")
  return (item, people) => (item.watched.work.priority === "urgent" ? ofUrgent(item, people) : ofOther(item, people))
}

function recipientsAmong(
  candidates: ReadonlyMap<string, Candidate>,
  isRecipient: (candidate: Candidate) => boolean,
): ChooseRecipients {
  const hasAnyRecipient = candidates.values().some(isRecipient)
  // Many items have the same list of able people.
  const kept = new Map<readonly string[], readonly Candidate[]>()
  return (item, people) => {
    // The able people are not sought for an item that nobody wishes to hear of.
    if (!hasAnyRecipient) return []
    const able = people.of(item)
    const before = kept.get(able)
    if (before !== undefined) return before
    const recipients = able.flatMap((id) => candidates.get(id) ?? []).filter(isRecipient)
    kept.set(able, recipients)
    return recipients
  }
}

/** For everybody who wishes to hear of the item now, and was not notified. */
function collectNew(item: WaitingItem, question: MailQuestion, choose: ChooseRecipients): void {
  const { channel, people, now, batchMs } = question
  const notified = item.known.notified.get(stepKey(channel, "told"))
  const isBatchOver = now - item.known.seenAt >= batchMs
  for (const candidate of choose(item, people)) {
    if (isFromBefore(item, candidate) || waitsForDigest(item, candidate)) continue
    if (notified?.has(candidate.person.id) === true || !mayBeNotified(item, candidate.person)) continue
    candidate.unheard.push(item)
    candidate.isBatchOver ||= isBatchOver
  }
}

/**
 * Whether an item is older than the moment `from`: a desk saw it before then, or it is in its first version and was created more than an hour before
 * then. The second case is for a desk that is new or could not reach the service, and so sees old items for the first time.
 */
function isFromBefore({ known, since }: WaitingItem, { from }: Reached): boolean {
  return known.seenAt < from || (known.version === "1" && since < from - HOUR_MS)
}

/** Whether an urgent item waits for the person's next digest, because it was there before they came back from an absence. */
function waitsForDigest({ known }: WaitingItem, { wishes, person }: Candidate): boolean {
  return wishes === "urgent" && known.seenAt < person.backAt
}

/**
 * Collects an item that was handed over for the person who got it, and an item whose reminder is due for everybody who may decide it. Both only if
 * this happened after the person came back from an absence, and after the channel could reach them.
 */
function collectClaimed(item: WaitingItem, question: MailQuestion, candidates: ReadonlyMap<string, Candidate>): void {
  const { channel, now, people } = question
  const isHanded = item.givenTo?.byAnother === true
  const isReminder = item.remindAt !== undefined && item.remindAt <= now
  if (!isHanded && !isReminder) return
  for (const id of people.of(item)) {
    const candidate = candidates.get(id)
    if (candidate === undefined || !mayBeNotified(item, candidate.person)) continue
    const { handed, reminded, from, person } = candidate
    const newSince = Math.max(from, person.backAt)
    const isNew = (moment = now) => moment >= newSince
    if (isHanded && isNew(item.givenTo?.at) && !isNotified(item.known, channel, "handed", id)) handed.push(item)
    if (isReminder && isNew(item.remindAt) && !isNotified(item.known, channel, "reminded", id)) reminded.push(item)
  }
}

/** For the members and mailboxes of each rule by which the item has waited too long. */
function collectEscalated(
  item: WaitingItem,
  { channel, now, people }: MailQuestion,
  candidates: ReadonlyMap<string, Candidate>,
  mails: Map<string, EscalationMail>,
): void {
  const add = ({ rule, afterMs }: Escalation, recipient: string) => {
    const step: Step = `escalated ${rule}`
    if (isNotified(item.known, channel, step, recipient)) return
    const key = JSON.stringify([recipient, afterMs])
    const mail = mails.get(key) ?? { recipient, escalatedAfterMs: afterMs, items: [] }
    mails.set(key, mail)
    // Two rules with the same time may name the same recipient: the item is one line of one mail.
    const last = mail.items.at(-1)
    if (last?.item === item) mail.items[mail.items.length - 1] = { item, steps: [...last.steps, step] }
    else mail.items.push({ item, steps: [step] })
  }
  for (const escalation of item.escalations) {
    if (now < item.since + escalation.afterMs) continue
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

/**
 * Whether a person hears of an item at all, escalations aside. Not if mail is off, the person is away, the item is set aside, or it is given to
 * other people, for none of whom the person stands in.
 */
function mayBeNotified({ givenTo, givenToTeam, notFor }: WaitingItem, person: Person): boolean {
  if (person.choice.mail === "off" || person.away !== undefined || notFor.includes(person.id)) return false
  const concerned = [person, ...person.standsInFor]
  if (givenToTeam !== undefined && !concerned.some(({ viewer }) => viewer.teams.includes(givenToTeam))) return false
  return givenTo === undefined || concerned.some(({ id }) => givenTo.personId === id)
}

/** Whether a person who may decide an item that waits may be notified of a step. `mayDecide`: whether another person may decide the item. */
export function mayStillBeNotified(
  item: WaitingItem,
  step: Step,
  person: Person,
  mayDecide: (other: Person) => boolean,
): boolean {
  if (!step.startsWith("escalated ")) return mayBeNotified(item, person)
  const concerned = [person, ...person.standsInFor]
  const isTo = ({ rule, isMember }: Escalation) => step === `escalated ${rule}` && concerned.some(isMember)
  // Where nobody stands in who may decide, an escalation reaches the person who is away: it must reach somebody.
  const standIn = person.away?.standIn
  const hasStandIn = standIn !== undefined && mayDecide(standIn)
  return person.choice.mail !== "off" && !hasStandIn && item.escalations.some(isTo)
}

/**
 * The mail to a person, if one leaves now. Nothing leaves in quiet hours but escalations, which are mails of their own. An item that was handed over
 * waits for nothing else. A reminder waits until the person does not use the desk. Other items wait for that and for the batch, or for the slot.
 */
function toMail(candidate: Candidate, { now }: MailQuestion): NewMail | undefined {
  const { person, isSlot, unheard, isBatchOver, handed, reminded } = candidate
  if (unheard.length + handed.length + reminded.length === 0 || isQuiet(person.choice, now)) return undefined
  const isElsewhere = !isInUse(person, now)
  const leaving = isSlot || (isBatchOver && isElsewhere) ? unheard : []
  const items = withSteps(leaving, handed, isElsewhere ? reminded : [])
  return items.length === 0 ? undefined : { recipient: person.id, items }
}

/** The items of a mail with their steps. An item that was handed over, or that the person is reminded of, has the step `told` too. */
function withSteps(
  leaving: readonly WaitingItem[],
  handed: readonly WaitingItem[],
  reminded: readonly WaitingItem[],
): readonly MailItem[] {
  const steps = new Map<WaitingItem, readonly Step[]>(leaving.map((item) => [item, TOLD]))
  const add = (item: WaitingItem, step: Step) => steps.set(item, [...(steps.get(item) ?? TOLD), step])
  for (const item of handed) add(item, "handed")
  for (const item of reminded) add(item, "reminded")
  return [...steps].map(([item, itsSteps]) => ({ item, steps: itsSteps }))
}

const TOLD: readonly Step[] = ["told"]
