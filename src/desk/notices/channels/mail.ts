/** Mail: each person for themselves, and the mailboxes of escalations. Just before a mail leaves, each item is checked again. */
import { randomUUID } from "node:crypto"
import { MAILBOX } from "../../people/access-file.ts"
import { isPlainAddress } from "../../people/plain-address.ts"
import { ConfigurationError } from "../../../platform/configuration-error.ts"
import type { Channel, ChannelKind, Delivery, NewDelivery, Notice, NoticeDesk, Result } from "../channel.ts"
import { findOwnDeliveries, isAboutOwnWork } from "../own-work.ts"
import {
  type DueItem,
  type DueNotices,
  findDueNotices,
  mayStillBeNotified,
  ownTimingOf,
  type Step,
} from "../due-notices.ts"
import { readLastMail, REFUSALS_MAX, storeLastMail } from "../last-mail.ts"
import { type MailConfiguration, readMailConfiguration } from "./mail-configuration.ts"
import { type Mail, type MailParts, writeNoticeMail, writeOwnWorkMail, writeTestMail } from "./mail-text.ts"
import { LONGEST_RETRY_MS, retryAfter } from "../outbox.ts"
import type { Person } from "../people-now.ts"
import { sendMail, type SmtpResult } from "./smtp.ts"
import { findStillWaiting, postponeQuiet, postponeUnread } from "../still-waiting.ts"
import { makeToken } from "../unsubscribe.ts"

const NAME = "mail"

export const mail: ChannelKind = {
  name: NAME,
  test: {
    command: "test",
    needsAddress: true,
    usage: "sends one mail and prints the mail server's response",
    words: ["The mail server", "the mail"],
    unset: "SMTP_URL is not set, so the desk sends no mail",
  },
  configure: (env, people, files) => {
    const configuration = readMailConfiguration(env, people, files)
    return configuration && createMail(configuration)
  },
}

/** Where a mail goes: to a person, or to a mailbox. */
type Addressed = { readonly person?: Person; readonly address: string }

export function createMail(configuration: MailConfiguration): Channel {
  const { from, publicUrl, batchMs } = configuration
  const server = createServerState(configuration)
  /** How often in a row a mailbox was refused, until a restart. */
  const refusals = new Map<string, number>()
  const partsFor = (to: string, id: string, labelOf: MailParts["labelOf"]): MailParts => ({
    id,
    to,
    from,
    publicUrl,
    now: Date.now(),
    labelOf,
  })
  const testMail = (to: string) => writeTestMail(partsFor(to, `test-${randomUUID()}`, (id) => id))

  /** Undefined: no mail can go to the recipient now. */
  async function findAddress({ recipient }: Delivery, desk: NoticeDesk): Promise<Addressed | undefined> {
    const mailbox = mailboxOf(recipient)
    if (mailbox !== undefined) return isPlainAddress(mailbox) ? { address: mailbox } : undefined
    const person = await desk.readPerson(recipient)
    return person?.address === undefined ? undefined : { person, address: person.address }
  }

  async function send(delivery: Delivery, notices: readonly Notice[], desk: NoticeDesk): Promise<Result> {
    const mailbox = mailboxOf(delivery.recipient) ?? ""
    // The notices of a stopped mailbox stay in the outbox, so that they do not become due again.
    if ((refusals.get(mailbox) ?? 0) >= REFUSALS_MAX) return { kind: "dropped", answer: "" }
    const addressed = await findAddress(delivery, desk)
    if (isAboutOwnWork(notices)) return sendOwn(delivery, notices, addressed, desk)
    const checked = findStillWaiting(notices, desk, (item, step) => {
      return addressed !== undefined && mayNotify(item, step, addressed, desk)
    })
    if (checked === "unread") return postponeUnread()
    const { items, withdrawn } = checked
    if (addressed === undefined || items.length === 0) return { kind: "dropped", answer: "", withdrawn }
    const { person, address } = addressed
    const escalatedAfterMs = delivery.content === undefined ? undefined : Number(delivery.content)
    const quiet = person && escalatedAfterMs === undefined ? postponeQuiet(person) : undefined
    if (quiet !== undefined) return { ...quiet, withdrawn }
    const parts = { ...partsFor(address, delivery.id, desk.labelOf), personId: person?.id }
    const unsubscribeToken = person && makeToken(await desk.tokenKey(), person.id, parts.now)
    const result = await server.send(writeNoticeMail(items, { escalatedAfterMs, unsubscribeToken }, parts), desk)
    if (result.kind === "accepted") refusals.delete(mailbox)
    if (result.kind === "refused" && person === undefined) refusals.set(mailbox, (refusals.get(mailbox) ?? 0) + 1)
    const also = person && { also: storing(person.id, result) }
    return { ...resultOf(result), withdrawn, ...also }
  }

  async function sendOwn(
    { id }: Delivery,
    notices: readonly Notice[],
    addressed: Addressed | undefined,
    desk: NoticeDesk,
  ): Promise<Result> {
    const { person, address = "" } = addressed ?? {}
    if (person === undefined || person.choice.mail === "off") return { kind: "dropped", answer: "" }
    const lines = await desk.findOwn(person, notices)
    if (lines === "unread") return postponeUnread()
    if (lines.length === 0) return { kind: "dropped", answer: "" }
    const quiet = postponeQuiet(person)
    if (quiet !== undefined) return quiet
    const parts = partsFor(address, id, desk.labelOf)
    const unsubscribeToken = makeToken(await desk.tokenKey(), person.id, parts.now)
    const result = await server.send(writeOwnWorkMail(lines, unsubscribeToken, parts), desk)
    return { ...resultOf(result), also: storing(person.id, result) }
  }

  return {
    name: NAME,
    noun: "a mail",
    order: "any",
    findDeliveries: async ({ now, lastLookAt, items, people, ownFor }) => {
      const due = await findDueNotices({ channel: NAME, now, lastLookAt, batchMs, items, people })
      const timingOf = ({ address, choice }: Person) =>
        address === undefined ? "nothing" : ownTimingOf(choice, lastLookAt, now)
      const own = findOwnDeliveries({ own: ownFor(NAME), now, batchMs, people: people.all, timingOf })
      return [...due.map(toDelivery), ...own]
    },
    notifiesOfOwnWork: ({ choice }) => choice.mail !== "off",
    maxAtATime: () => server.maxAtATime(),
    send,
    // A mailbox has no id, and its address must not be in the log.
    who: (recipient) => (mailboxOf(recipient) === undefined ? { person: recipient } : {}),
    test: async (to) => {
      if (!isPlainAddress(to)) throw new ConfigurationError("ADDRESS must be a single address such as ada@example.com")
      const { kind, text } = await sendMail(configuration.server(), testMail(to))
      return { isTaken: kind === "accepted", answer: text }
    },
    testPerson: async (personId, address, desk) => {
      const result = await server.sendTest(testMail(address), desk)
      await desk.database.transaction("notices", storing(personId, result))
      const last = await readLastMail(desk.database, personId)
      if (last === null) throw new Error("the state of the test mail wasn't stored")
      return last
    },
  }
}

const mailboxOf = (recipient: string) => (recipient.startsWith(MAILBOX) ? recipient.slice(MAILBOX.length) : undefined)

export function toDelivery({ recipient, escalatedAfterMs, items }: DueNotices): NewDelivery {
  const notices = items.flatMap(({ item, steps }) => steps.map((step) => ({ item: item.known, step })))
  return { recipient, content: escalatedAfterMs === undefined ? undefined : String(escalatedAfterMs), notices }
}

function mayNotify(item: DueItem["item"], step: Step, { person, address }: Addressed, desk: NoticeDesk): boolean {
  const mayDecide = (one: Person) => desk.mayDecide(one, item)
  if (person !== undefined) return mayDecide(person) && mayStillBeNotified(item, step, person, mayDecide)
  return item.escalations.some(({ rule, mailboxes }) => step === `escalated ${rule}` && mailboxes.includes(address))
}

function resultOf({ kind, answer }: SmtpResult): Result {
  // The outage alone says when it is tried again, so that it leaves when a test mail ends the outage.
  if (kind === "unavailable") return { kind: "postponed", until: Date.now(), answer }
  return { kind: ({ accepted: "sent", refused: "refused", deferred: "failed" } as const)[kind], answer }
}

/** Stores the result of the last mail to a person, for the settings of the person and for `isStopped`. */
function storing(personId: string, { kind }: SmtpResult): NonNullable<Result["also"]> {
  const states = { accepted: "delivered", refused: "refused", deferred: "failed", unavailable: "failed" } as const
  return (statements) => storeLastMail(statements, personId, states[kind])
}

/** The mail server, and whether it takes mail at all. */
function createServerState({ server }: MailConfiguration) {
  /** Set while it takes none. `attempts`: failed attempts in a row. `until`: when the next attempt is due. */
  let outage: { readonly attempts: number; readonly notedAt: number; readonly until: number } | undefined

  /** Begins or ends an outage, with one line of the log each. */
  function note({ kind, answer }: SmtpResult, beganAt: number, { log }: NoticeDesk): void {
    // Attempts at the same time are one failure: this attempt began before the last failure was noted.
    if (kind === "unavailable" && outage !== undefined && beganAt < outage.notedAt) return
    if (kind !== "unavailable") {
      if (outage !== undefined) log.warn({}, "the mail server is accepting mail again")
      outage = undefined
      return
    }
    if (outage === undefined) log.warn({ answer }, "the mail server isn't accepting mail")
    const attempts = (outage?.attempts ?? 0) + 1
    outage = { attempts, notedAt: Date.now(), until: Date.now() + (retryAfter(attempts) ?? LONGEST_RETRY_MS) }
  }

  return {
    async send(message: Mail, desk: NoticeDesk): Promise<SmtpResult> {
      const beganAt = Date.now()
      const result = await sendMail(server(), message)
      note(result, beganAt, desk)
      return result
    },
    /** Sends a test, which may end an outage. A test that fails changes nothing: people may send any number of them. */
    async sendTest(message: Mail, desk: NoticeDesk): Promise<SmtpResult> {
      const beganAt = Date.now()
      const result = await sendMail(server(), message)
      if (result.kind !== "unavailable") note(result, beganAt, desk)
      return result
    },
    /** During an outage one delivery at a time is tried, and none before the pause is over. */
    maxAtATime: () => (outage === undefined ? Number.POSITIVE_INFINITY : Date.now() >= outage.until ? 1 : 0),
  }
}
