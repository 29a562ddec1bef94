/** What is due to whom now: a pure function without store, mail server and clock. Moments are milliseconds since 1970. */
import type { NoticeChoice } from "../contract/desk-people.ts"
import { isQuiet, isSlotDue } from "./leave-times.ts"
import type { NoticedItem } from "./noticed-items.ts"
import type { Told, ToldItem } from "./told.ts"

/** One item that waits, in one version, with what decides who is told of the item. */
export type WaitingNotice = NoticedItem & {
  /** When the item was created. Where the upstream's text is no date: when a desk first saw the item. */
  readonly since: number
  /** The numbers of the people who may see and decide the item. */
  readonly ablePeople: () => readonly number[]
  /** Whether a person may see and decide the item now. */
  readonly mayDecide: (personId: string) => boolean
  /** The person that somebody gave the item to less than 24 hours ago, and whether that was another person. */
  readonly givenTo?: { readonly personId: string; readonly byAnother: boolean } | undefined
  /** The members of the team that the item was given to less than 24 hours ago: nobody else is told. */
  readonly givenToTeam?: ReadonlySet<string> | undefined
  /** The people who have set the item aside until later than now, or whose approval of it the desk keeps. */
  readonly notFor?: ReadonlySet<string> | undefined
  /** When a reminder is due, by the rules that match. */
  readonly remindAt?: number | undefined
  readonly escalations: readonly DueEscalation[]
}

/** An escalation of one rule that matches an approval. */
export type DueEscalation = {
  /** Names the rule in the outbox. It stays the same while the rule does. */
  readonly rule: string
  readonly afterMs: number
  readonly mailboxes: readonly string[]
  readonly isMember: (person: NoticePerson) => boolean
}

/** A person who can be mailed: with an address, and signed in within the last 30 days. */
export type NoticePerson = {
  readonly id: string
  /** A small number of this process, for the memory of what was told. */
  readonly number: number
  readonly choice: NoticeChoice
  /** When the person last used the desk or signed in. Use that is longer ago than `IN_USE_MS` is not known. */
  readonly usedAt: number
}

/** `escalated` is followed by a space and the rule. */
export type Step = "told" | "handed" | "reminded" | `escalated ${string}`

export type DueItem = { readonly item: WaitingNotice; readonly steps: readonly Step[] }

/** A mail that leaves now. */
export type DueMail = {
  /** A person's id, or `mailbox:` and an address. */
  readonly recipient: string
  /** Undefined for an escalation to a mailbox. */
  readonly person: NoticePerson | undefined
  /** For an escalation: how long its approvals have waited at least, in milliseconds. */
  readonly escalatedAfterMs?: number
  readonly items: readonly DueItem[]
}

export type DueQuestion = {
  readonly now: number
  /** When the desk asked the last time. An hourly or daily mail leaves when its time has come since then. */
  readonly before: number
  /** How long a first item waits for more before a mail "at once" leaves. */
  readonly batchMs: number
  readonly items: readonly WaitingNotice[]
  readonly people: readonly NoticePerson[]
  readonly told: Told
  /** Since when a mail "at once" to a person collects items, by the person's id. The function keeps it up to date. */
  readonly collectingSince: Map<string, number>
  /** Whether this process asks for the first time. Then collecting began when a desk first saw the items, so that a restart delays no mail. */
  readonly isFirst: boolean
}

/** A mail "at once" and a reminder wait until the person has not used the desk for this time. Other mails do not wait for that. */
export const IN_USE_MS = 120_000

/** Which items a person wishes to be told of now. Numbers, because each item is compared with each person. */
const NOTHING = 0
const URGENT = 1
const EVERYTHING = 2

type Collected = {
  readonly person: NoticePerson
  /** Whether the time of an hourly or daily mail has come. */
  readonly isSlot: boolean
  /** The items that the person wishes for and was not told of. */
  readonly untold: DueItem[]
  readonly handed: WaitingNotice[]
  readonly reminded: WaitingNotice[]
}

const TOLD: readonly Step[] = ["told"]

/** Finds the mails that leave now. A generator, so that the caller can do other work after each item and each person. */
export function* findDueMails(question: DueQuestion): Generator<void, readonly DueMail[]> {
  const { items, told, now, people } = question
  const collected: Collected[] = []
  const wishes = new Uint8Array(people.reduce((length, { number }) => Math.max(length, number + 1), 0))
  for (const person of people) {
    const isSlot = isSlotOf(person, question)
    collected[person.number] = { person, isSlot, untold: [], handed: [], reminded: [] }
    wishes[person.number] = wishOf(person, isSlot)
    yield
  }
  const greatestWish = wishes.reduce((one, other) => Math.max(one, other), NOTHING)
  const wishingAmong = new Map<readonly number[], readonly number[]>()
  /** The able people who wish to be told of anything. Kept, because many items have the same able people. */
  const thoseWhoWish = (able: readonly number[]) => {
    const wishing = wishingAmong.get(able) ?? able.filter((number) => wishes[number] !== NOTHING)
    wishingAmong.set(able, wishing)
    return wishing
  }
  const escalated = new Map<string, DueMail & { readonly items: DueItem[] }>()
  for (const item of items) {
    const isReminder = item.remindAt !== undefined && item.remindAt <= now
    const leastWish = item.priority === "urgent" ? URGENT : EVERYTHING
    const isEscalated = item.escalations.some(({ afterMs }) => item.since + afterMs <= now)
    const isGivenToPerson = item.givenTo !== undefined
    // The able people are not sought for an item that nobody could be told of now.
    if (greatestWish >= leastWish || isReminder || isEscalated || isGivenToPerson) {
      const able = item.ablePeople()
      const toldSteps = told.of(item)
      const due: DueItem = { item, steps: TOLD }
      const isForAllAble = !isGivenToPerson && item.givenToTeam === undefined && item.notFor === undefined
      for (const number of thoseWhoWish(able)) {
        if ((wishes[number] ?? NOTHING) < leastWish || toldSteps.isTold(number)) continue
        const found = collected[number]
        if (found !== undefined && (isForAllAble || mayBeTold(item, found.person))) found.untold.push(due)
      }
      if (isReminder || isGivenToPerson) collectHandedAndReminded(item, able, collected, isReminder, toldSteps)
      if (isEscalated) collectEscalations(item, able, collected, question, escalated)
    }
    yield
  }
  const mails: DueMail[] = []
  for (const { number } of people) {
    const mail = collected[number] && toMail(collected[number], question)
    if (mail !== undefined) mails.push(mail)
    yield
  }
  return [...mails, ...escalated.values()]
}

/** Adds the item to the mail of the person whom it was handed to, and to the mails of the people who are to be reminded. */
function collectHandedAndReminded(
  item: WaitingNotice,
  able: readonly number[],
  collected: readonly (Collected | undefined)[],
  isReminder: boolean,
  toldSteps: ToldItem,
): void {
  for (const number of able) {
    const found = collected[number]
    if (found === undefined || !mayBeTold(item, found.person)) continue
    const { id } = found.person
    if (item.givenTo?.byAnother === true && !toldSteps.has("handed", id)) found.handed.push(item)
    if (isReminder && !toldSteps.has("reminded", id)) found.reminded.push(item)
  }
}

function isSlotOf({ choice }: NoticePerson, { before, now }: DueQuestion): boolean {
  return (choice.mail === "hourly" || choice.mail === "daily") && isSlotDue(choice, before, now)
}

function wishOf({ choice }: NoticePerson, isSlot: boolean): number {
  if (choice.mail === "off") return NOTHING
  if (isSlot || choice.mail === "at-once") return EVERYTHING
  return choice.urgent_at_once ? URGENT : NOTHING
}

/** Whether a person is told of an item at all, escalations aside. Not if mail is off, the item is set aside, or it is given to other people. */
function mayBeTold({ givenTo, givenToTeam, notFor }: WaitingNotice, { id, choice }: NoticePerson): boolean {
  if (choice.mail === "off" || notFor?.has(id) === true || givenToTeam?.has(id) === false) return false
  return givenTo === undefined || givenTo.personId === id
}

/** The mail to a person, if one leaves now. Nothing leaves in quiet hours. Items that were handed over wait for nothing else. */
function toMail(found: Collected, { now, batchMs, collectingSince, isFirst }: DueQuestion): DueMail | undefined {
  const { person, isSlot, untold, handed, reminded } = found
  if (untold.length === 0) collectingSince.delete(person.id)
  else if (!collectingSince.has(person.id)) {
    collectingSince.set(
      person.id,
      isFirst ? untold.reduce((first, { item }) => Math.min(first, item.seenAt), now) : now,
    )
  }
  if (untold.length + handed.length + reminded.length === 0 || isQuiet(person.choice, now)) return undefined
  const isInUse = now - person.usedAt < IN_USE_MS
  const isBatched = now - (collectingSince.get(person.id) ?? now) >= batchMs
  const leaving = isSlot || (isBatched && !isInUse) ? untold : []
  if (leaving.length > 0) collectingSince.delete(person.id)
  const items = addSteps(leaving, handed, isInUse ? [] : reminded)
  return items.length === 0 ? undefined : { recipient: person.id, person, items }
}

/** Adds the items that were handed over, and those to be reminded of. Each of them also counts as told. */
function addSteps(
  leaving: readonly DueItem[],
  handed: readonly WaitingNotice[],
  reminded: readonly WaitingNotice[],
): readonly DueItem[] {
  if (handed.length + reminded.length === 0) return leaving
  const steps = new Map<WaitingNotice, readonly Step[]>(leaving.map(({ item }) => [item, TOLD]))
  const add = (item: WaitingNotice, step: Step) => steps.set(item, [...(steps.get(item) ?? TOLD), step])
  for (const item of handed) add(item, "handed")
  for (const item of reminded) add(item, "reminded")
  return [...steps].map(([item, itsSteps]) => ({ item, steps: itsSteps }))
}

function collectEscalations(
  item: WaitingNotice,
  able: readonly number[],
  collected: readonly (Collected | undefined)[],
  { told, now }: DueQuestion,
  escalated: Map<string, DueMail & { readonly items: DueItem[] }>,
): void {
  const toldSteps = told.of(item)
  for (const { rule, afterMs, mailboxes, isMember } of item.escalations) {
    if (now < item.since + afterMs) continue
    const step: Step = `escalated ${rule}`
    const add = (recipient: string, person: NoticePerson | undefined) => {
      if (toldSteps.has(step, recipient)) return
      const key = JSON.stringify([recipient, afterMs])
      const mail = escalated.get(key) ?? { recipient, person, escalatedAfterMs: afterMs, items: [] }
      escalated.set(key, mail)
      // Two rules with the same time may name the same recipient: the item is one line of one mail.
      const last = mail.items.at(-1)
      if (last?.item === item) mail.items[mail.items.length - 1] = { item, steps: [...last.steps, step] }
      else mail.items.push({ item, steps: [step] })
    }
    for (const number of able) {
      const person = collected[number]?.person
      if (person !== undefined && person.choice.mail !== "off" && isMember(person)) add(person.id, person)
    }
    for (const address of mailboxes) add(`mailbox:${address}`, undefined)
  }
}

/** Whether a step may still be told to a person when the mail leaves. The caller has checked that the item waits and that the person may decide it. */
export function mayStillBeTold(item: WaitingNotice, step: Step, person: NoticePerson): boolean {
  return step.startsWith("escalated ") ? person.choice.mail !== "off" : mayBeTold(item, person)
}
