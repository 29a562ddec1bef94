/** What is due to whom now: a pure function without store, mail server and clock. Moments are milliseconds since 1970. */
import type { NoticeChoice } from "../contract/desk-people.ts"
import { isQuiet, isSlotDue } from "./leave-times.ts"
import type { NoticedItem } from "./noticed-items.ts"
import type { Told } from "./told.ts"

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

/** A person to whom a mail may leave, and the items for this mail. */
type Candidate = {
  readonly person: NoticePerson
  /** Which items the person wishes to be told of now. */
  readonly wishes: "nothing" | "urgent" | "everything"
  /** Whether the time of an hourly or daily mail has come. */
  readonly isSlot: boolean
  /** The items that the person wishes for and was not told of. */
  readonly untold: WaitingNotice[]
  readonly handed: WaitingNotice[]
  readonly reminded: WaitingNotice[]
}

/** Finds the mails that leave now. A generator, so that the caller can do other work after each item and each person. */
export function* findDueMails(question: DueQuestion): Generator<void, readonly DueMail[]> {
  const search = new DueSearch(question)
  for (const person of question.people) {
    search.addCandidate(person)
    yield
  }
  for (const item of question.items) {
    search.collectUntold(item)
    search.collectHanded(item)
    search.collectReminded(item)
    search.collectEscalated(item)
    yield
  }
  const mails: DueMail[] = []
  for (const candidate of search.candidates) {
    const mail = candidate && toMail(candidate, question)
    if (mail !== undefined) mails.push(mail)
    yield
  }
  return [...mails, ...search.escalated.values()]
}

/** Collects for each candidate what is to be told. */
class DueSearch {
  /** By `NoticePerson.number`. A number of somebody who cannot be mailed now has no candidate. */
  readonly candidates: (Candidate | undefined)[] = []
  /** The mails of escalations, by recipient and time. */
  readonly escalated = new Map<string, DueMail & { readonly items: DueItem[] }>()
  readonly #question: DueQuestion
  /** The wishes that anybody has. */
  readonly #wishes = new Set<Candidate["wishes"]>()
  /** The able people who wish for anything. Kept, because many items have the same able people. */
  readonly #wishingAmong = new Map<readonly number[], readonly Candidate[]>()

  constructor(question: DueQuestion) {
    this.#question = question
  }

  addCandidate(person: NoticePerson): void {
    const { choice } = person
    const { before, now } = this.#question
    const isSlot = (choice.mail === "hourly" || choice.mail === "daily") && isSlotDue(choice, before, now)
    const wishes = wishesOf(choice, isSlot)
    this.#wishes.add(wishes)
    this.candidates[person.number] = { person, wishes, isSlot, untold: [], handed: [], reminded: [] }
  }

  /** For everybody who wishes to be told of the item now, and was not told. */
  collectUntold(item: WaitingNotice): void {
    const isUrgent = item.priority === "urgent"
    // The able people are not sought for an item that nobody wishes to be told of now.
    if (!this.#wishes.has("everything") && !(isUrgent && this.#wishes.has("urgent"))) return
    const toldSteps = this.#question.told.of(item)
    for (const { person, wishes, untold } of this.#wishing(item.ablePeople())) {
      const isWished = wishes === "everything" || isUrgent
      if (isWished && !toldSteps.isTold(person.number) && mayBeTold(item, person)) untold.push(item)
    }
  }

  /** For the person whom somebody else gave the item to. */
  collectHanded(item: WaitingNotice): void {
    if (item.givenTo?.byAnother !== true) return
    for (const { person, handed } of this.#ableToBeTold(item)) {
      if (!this.#isTold(item, "handed", person.id)) handed.push(item)
    }
  }

  /** For everybody who may decide the item, when its reminder is due. */
  collectReminded(item: WaitingNotice): void {
    if (item.remindAt === undefined || item.remindAt > this.#question.now) return
    for (const { person, reminded } of this.#ableToBeTold(item)) {
      if (!this.#isTold(item, "reminded", person.id)) reminded.push(item)
    }
  }

  /** For the members and mailboxes of each rule by which the item has waited too long. */
  collectEscalated(item: WaitingNotice): void {
    for (const escalation of item.escalations) {
      if (this.#question.now < item.since + escalation.afterMs) continue
      for (const { person } of this.#able(item)) {
        if (person.choice.mail !== "off" && escalation.isMember(person)) {
          this.#escalate(item, escalation, person.id, person)
        }
      }
      for (const address of escalation.mailboxes) this.#escalate(item, escalation, `mailbox:${address}`, undefined)
    }
  }

  #escalate(
    item: WaitingNotice,
    { rule, afterMs }: DueEscalation,
    recipient: string,
    person: NoticePerson | undefined,
  ): void {
    const step: Step = `escalated ${rule}`
    if (this.#isTold(item, step, recipient)) return
    const key = JSON.stringify([recipient, afterMs])
    const mail = this.escalated.get(key) ?? { recipient, person, escalatedAfterMs: afterMs, items: [] }
    this.escalated.set(key, mail)
    // Two rules with the same time may name the same recipient: the item is one line of one mail.
    const last = mail.items.at(-1)
    if (last?.item === item) mail.items[mail.items.length - 1] = { item, steps: [...last.steps, step] }
    else mail.items.push({ item, steps: [step] })
  }

  #isTold(item: WaitingNotice, step: Step, recipient: string): boolean {
    return this.#question.told.of(item).has(step, recipient)
  }

  /** The candidates who may see and decide an item. */
  #able(item: WaitingNotice): readonly Candidate[] {
    return item.ablePeople().flatMap((number) => this.candidates[number] ?? [])
  }

  #ableToBeTold(item: WaitingNotice): readonly Candidate[] {
    return this.#able(item).filter(({ person }) => mayBeTold(item, person))
  }

  #wishing(able: readonly number[]): readonly Candidate[] {
    const before = this.#wishingAmong.get(able)
    if (before !== undefined) return before
    const candidates = able.flatMap((number) => this.candidates[number] ?? [])
    const wishing = candidates.filter(({ wishes }) => wishes !== "nothing")
    this.#wishingAmong.set(able, wishing)
    return wishing
  }
}

function wishesOf({ mail, urgent_at_once }: NoticeChoice, isSlot: boolean): Candidate["wishes"] {
  if (mail === "off") return "nothing"
  if (isSlot || mail === "at-once") return "everything"
  return urgent_at_once ? "urgent" : "nothing"
}

/** Whether a person is told of an item at all, escalations aside. Not if mail is off, the item is set aside, or it is given to other people. */
function mayBeTold({ givenTo, givenToTeam, notFor }: WaitingNotice, { id, choice }: NoticePerson): boolean {
  if (choice.mail === "off" || notFor?.has(id) === true || givenToTeam?.has(id) === false) return false
  return givenTo === undefined || givenTo.personId === id
}

/** The mail to a person, if one leaves now. Nothing leaves in quiet hours. Items that were handed over wait for nothing else. */
function toMail(candidate: Candidate, question: DueQuestion): DueMail | undefined {
  const { person, isSlot, untold, handed, reminded } = candidate
  const { now, batchMs, collectingSince } = question
  const since = noteCollecting(candidate, question)
  if (untold.length + handed.length + reminded.length === 0 || isQuiet(person.choice, now)) return undefined
  const isInUse = now - person.usedAt < IN_USE_MS
  const isBatched = now - since >= batchMs
  const leaving = isSlot || (isBatched && !isInUse) ? untold : []
  if (leaving.length > 0) collectingSince.delete(person.id)
  const items = withSteps(leaving, handed, isInUse ? [] : reminded)
  return items.length === 0 ? undefined : { recipient: person.id, person, items }
}

/** Keeps since when a mail "at once" to the person collects items, and gives that moment. */
function noteCollecting({ person, untold }: Candidate, { now, collectingSince, isFirst }: DueQuestion): number {
  if (untold.length === 0) {
    collectingSince.delete(person.id)
    return now
  }
  const firstSeenAt = () => untold.reduce((first, { seenAt }) => Math.min(first, seenAt), now)
  const since = collectingSince.get(person.id) ?? (isFirst ? firstSeenAt() : now)
  collectingSince.set(person.id, since)
  return since
}

/** The items of a mail with their steps. An item that was handed over, or that the person is reminded of, also counts as told. */
function withSteps(
  leaving: readonly WaitingNotice[],
  handed: readonly WaitingNotice[],
  reminded: readonly WaitingNotice[],
): readonly DueItem[] {
  const steps = new Map<WaitingNotice, readonly Step[]>(leaving.map((item) => [item, TOLD]))
  const add = (item: WaitingNotice, step: Step) => steps.set(item, [...(steps.get(item) ?? TOLD), step])
  for (const item of handed) add(item, "handed")
  for (const item of reminded) add(item, "reminded")
  return [...steps].map(([item, itsSteps]) => ({ item, steps: itsSteps }))
}

const TOLD: readonly Step[] = ["told"]

/** Whether a step may still be told to a person when the mail leaves. The caller has checked that the item waits and that the person may decide it. */
export function mayStillBeTold(item: WaitingNotice, step: Step, person: NoticePerson): boolean {
  return step.startsWith("escalated ") ? person.choice.mail !== "off" : mayBeTold(item, person)
}
