/**
 * What is due to whom now: a pure function of what waits, who may decide it, what each person chose, and what was told before. It knows no store,
 * no mail server and no clock. Moments are milliseconds since 1970.
 */
import type { NoticeChoice } from "../contract/desk.ts"
import { isQuiet, isSlotDue } from "./leave-times.ts"
import type { Told } from "./told.ts"

/** One item that waits, in one version. */
export type WaitingNotice = {
  readonly kind: "attention" | "approval"
  readonly workId: string
  readonly itemId: string
  /** The digits of an int64. */
  readonly version: string
  readonly colleague: string
  readonly priority: string
  readonly createdAt: number
  /** When a desk first saw this version. */
  readonly seenAt: number
  /** The person that somebody gave the item to less than 24 hours ago, and whether that was another person. */
  readonly givenTo?: { readonly personId: string; readonly byAnother: boolean } | undefined
  /** The members of the team that the item was given to less than 24 hours ago: nobody else is told. */
  readonly givenToTeam?: ReadonlySet<string> | undefined
  /** The people who have set the item aside until later than now. */
  readonly setAside?: ReadonlySet<string> | undefined
  /** When a reminder is due, by the rules that match. */
  readonly remindAt?: number | undefined
  readonly escalations: readonly DueEscalation[]
}

/** An escalation of one rule that matches an approval. */
export type DueEscalation = {
  /** Names the rule in the outbox. It stays the same while the rule does. */
  readonly rule: string
  /** As the access file has it, such as `4h`. */
  readonly after: string
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
  /** When the person last used the desk, as far back as two minutes. */
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
  /** For an escalation: how long its approvals have waited, such as `4h`. */
  readonly escalatedAfter?: string
  readonly items: readonly DueItem[]
}

export type DueQuestion = {
  readonly now: number
  /** When the desk asked the last time: hourly and daily mails leave when their time has come in between. */
  readonly before: number
  /** How long a first item waits for more before a mail "at once" leaves. */
  readonly batchMs: number
  /** Oldest first. */
  readonly items: readonly WaitingNotice[]
  readonly people: readonly NoticePerson[]
  /** The people who may see and decide an item. */
  readonly audienceOf: (item: WaitingNotice) => readonly NoticePerson[]
  readonly told: Told
  /** Since when something waits to be told to a person at once, by the person's id. The function keeps it up to date. */
  readonly waitingSince: Map<string, number>
  /** Whether this process asks for the first time. `waitingSince` then begins when the items were seen, so that a restart delays nothing. */
  readonly isFirst: boolean
}

/** A mail "at once" waits until the person has not used the desk for this time. */
export const IN_USE_MS = 120_000

/** What a person gets by their choice now. */
type Wants = "nothing" | "everything" | "urgent"

type Collected = {
  readonly person: NoticePerson
  /** What a choice of hourly or daily tells now. */
  readonly isSlot: boolean
  readonly wants: Wants
  /** Whether nothing but an escalation may leave now. */
  readonly isQuiet: boolean
  readonly isInUse: boolean
  readonly toTell: WaitingNotice[]
  readonly handed: WaitingNotice[]
  readonly reminded: WaitingNotice[]
}

/**
 * Finds the mails that leave now. A generator, so that the caller can do other work in between: it pauses after each item.
 * @returns the mails. Each item is in a person's mail once, and besides once for each escalation
 */
export function* findDueMails(question: DueQuestion): Generator<void, readonly DueMail[]> {
  const { items, told, now, audienceOf } = question
  const collected = new Map(question.people.map((person) => [person.id, prepare(person, question)]))
  const escalated = new Map<string, DueMail & { readonly items: DueItem[] }>()
  for (const item of items) {
    const audience = audienceOf(item)
    const toldOf = told.of(item)
    const { givenTo, givenToTeam, setAside } = item
    const isUrgent = item.priority === "urgent"
    const isReminder = item.remindAt !== undefined && item.remindAt <= now
    for (const person of audience) {
      const found = collected.get(person.id)
      if (found === undefined) continue
      const { wants } = found
      const isWanted = (wants === "everything" || (wants === "urgent" && isUrgent)) && !toldOf.isTold(person.number)
      if (!isWanted && !isReminder && givenTo === undefined) continue
      if (setAside?.has(person.id) === true) continue
      if (givenTo !== undefined && givenTo.personId !== person.id) continue
      if (givenToTeam?.has(person.id) === false) continue
      if (isWanted) found.toTell.push(item)
      if (person.choice.mail === "off") continue
      if (givenTo?.byAnother === true && !toldOf.has("handed", person.id)) found.handed.push(item)
      if (isReminder && !toldOf.has("reminded", person.id)) found.reminded.push(item)
    }
    collectEscalations(item, audience, question, escalated)
    yield
  }
  const mails = [...collected.values()].flatMap((found) => toMail(found, question) ?? [])
  return [...mails, ...escalated.values()]
}

function prepare(person: NoticePerson, { before, now }: DueQuestion): Collected {
  const { choice, usedAt } = person
  const lists = { toTell: [], handed: [], reminded: [] }
  const isSlot = (choice.mail === "hourly" || choice.mail === "daily") && isSlotDue(choice, before, now)
  const common = { person, isSlot, isQuiet: isQuiet(choice, now), isInUse: now - usedAt < IN_USE_MS, ...lists }
  if (choice.mail === "off") return { ...common, wants: "nothing" }
  if (isSlot || choice.mail === "at-once") return { ...common, wants: "everything" }
  return { ...common, wants: choice.urgent_at_once ? "urgent" : "nothing" }
}

/** The mail to a person, if one leaves now. */
function toMail(found: Collected, { now, batchMs, waitingSince, isFirst }: DueQuestion): DueMail | undefined {
  const { person, isSlot, toTell, handed, reminded } = found
  if (toTell.length === 0) waitingSince.delete(person.id)
  else if (!waitingSince.has(person.id)) {
    waitingSince.set(person.id, isFirst ? toTell.reduce((first, { seenAt }) => Math.min(first, seenAt), now) : now)
  }
  if (found.isQuiet) return undefined
  const isBatched = now - (waitingSince.get(person.id) ?? now) >= batchMs
  const tells = isSlot || (isBatched && !found.isInUse) ? toTell : []
  const reminds = found.isInUse ? [] : reminded
  const steps = new Map<WaitingNotice, Step[]>()
  const add = (items: readonly WaitingNotice[], step: Step) => {
    for (const item of items) steps.set(item, [...(steps.get(item) ?? []), step])
  }
  add(tells, "told")
  add(handed, "handed")
  add(reminds, "reminded")
  if (steps.size === 0) return undefined
  if (tells.length > 0) waitingSince.delete(person.id)
  // A mail that hands an item over or reminds of it also tells it.
  const items = [...steps].map(([item, of]) => ({ item, steps: of.includes("told") ? of : [...of, "told" as const] }))
  return { recipient: person.id, person, items }
}

function collectEscalations(
  item: WaitingNotice,
  audience: readonly NoticePerson[],
  { told, now }: DueQuestion,
  into: Map<string, DueMail & { readonly items: DueItem[] }>,
): void {
  for (const { rule, after, afterMs, mailboxes, isMember } of item.escalations) {
    if (now < item.createdAt + afterMs) continue
    const step: Step = `escalated ${rule}`
    const toldOf = told.of(item)
    const add = (recipient: string, person: NoticePerson | undefined) => {
      if (toldOf.has(step, recipient)) return
      const key = JSON.stringify([recipient, after])
      const mail = into.get(key) ?? { recipient, person, escalatedAfter: after, items: [] }
      into.set(key, mail)
      const before = mail.items.findIndex((other) => other.item === item)
      if (before === -1) mail.items.push({ item, steps: [step] })
      // Two rules with the same time and the same person: one line of one mail.
      else mail.items[before] = { item, steps: [...(mail.items[before]?.steps ?? []), step] }
    }
    for (const person of audience) if (person.choice.mail !== "off" && isMember(person)) add(person.id, person)
    for (const address of mailboxes) add(`mailbox:${address}`, undefined)
  }
}

/**
 * Whether a step of an item may still be told to a person when the mail leaves. The caller has found that the person may see and decide it, and
 * that it waits in this version.
 */
export function mayStillBeTold(item: WaitingNotice, step: Step, person: NoticePerson): boolean {
  if (person.choice.mail === "off") return false
  if (step.startsWith("escalated ")) return true
  if (item.setAside?.has(person.id) === true || item.givenToTeam?.has(person.id) === false) return false
  return item.givenTo === undefined || item.givenTo.personId === person.id
}
