/** Sends the mails of the outbox. Just before a mail leaves, each item is checked again, and an item that is no longer due is taken out. */
import { randomUUID } from "node:crypto"
import type { LastDelivery } from "../contract/desk-people.ts"
import { isPlainAddress } from "../people/plain-address.ts"
import { MAILBOX } from "../people/access.ts"
import type { Database } from "../store/database.ts"
import { ChannelSender, type SenderOptions } from "./channel.ts"
import { isStoppedAfter, storeDeliveryState } from "./delivery-states.ts"
import type { MailConfiguration } from "./notices-configuration.ts"
import { type DueItem, mayStillBeTold, type NoticePerson, type Step } from "./due.ts"
import { isQuiet, quietEnd } from "./leave-times.ts"
import type { OutboxFiller } from "./outbox-filler.ts"
import { type Mail, type MailParts, writeNoticeMail, writeTestMail } from "./mail-text.ts"
import { type Delivery, LONGEST_RETRY_MS, type NoticeRow, retryAfter } from "./outbox.ts"
import type { ReachablePerson } from "./people-now.ts"
import { type Attempt, sendMail } from "./smtp.ts"
import { makeToken } from "./unsubscribe.ts"

export type MailSenderOptions = SenderOptions & {
  readonly database: Database
  readonly configuration: MailConfiguration
  readonly tokenKey: () => Promise<Buffer>
  readonly labelOf: (colleagueId: string) => string
  readonly filler: OutboxFiller
}

/** Where a mail goes: to a person, or to a mailbox. */
type Addressed = { readonly person?: NoticePerson; readonly address: string }

/** How long a mail is postponed when the watcher has not yet read one of its items. */
const UNREAD_MS = 5_000

export class MailSender extends ChannelSender {
  readonly #options: MailSenderOptions
  /** Set while the mail server takes no mail at all. `attempts`: failed attempts in a row. `until`: when the next attempt is due. */
  #outage: { readonly attempts: number; readonly notedAt: number; readonly until: number } | undefined
  /** How often in a row a mailbox was refused, until a restart. */
  readonly #mailboxRefusals = new Map<string, number>()

  constructor(options: MailSenderOptions) {
    super("mail", options)
    this.#options = options
  }

  /** Sends a test mail at once, and stores what became of it. */
  async sendTest({ person, address }: ReachablePerson): Promise<LastDelivery> {
    const mail = writeTestMail(this.#partsFor(address, `test-${randomUUID()}`))
    const attempt = await this.#attempt(mail)
    return this.#storePersonsState(person.id, attempt)
  }

  /** During an outage one delivery at a time is tried, and none before the pause is over. */
  protected maxAtATime(): number {
    if (this.#outage === undefined) return Number.POSITIVE_INFINITY
    return Date.now() >= this.#outage.until ? 1 : 0
  }

  protected async send(delivery: Delivery): Promise<void> {
    const { outbox, count } = this.#options
    const addressed = await this.#findAddress(delivery)
    const isStoppedMailbox = addressed === undefined && isForMailbox(delivery)
    // The steps of a stopped mailbox stay in the outbox, so that they do not become due again.
    const items = isStoppedMailbox ? [] : await this.#recheckItems(delivery, addressed)
    if (items === "unread") return outbox.postpone(delivery, Date.now() + UNREAD_MS, delivery.attempts, undefined)
    if (addressed === undefined || items.length === 0) {
      await outbox.settle(delivery, "dropped", "")
      return count("mail", "dropped")
    }
    const { person, address } = addressed
    const now = Date.now()
    const isEscalation = delivery.content !== null
    if (person !== undefined && !isEscalation && isQuiet(person.choice, now)) {
      return outbox.postpone(delivery, quietEnd(person.choice, now), delivery.attempts, undefined)
    }
    const mail = await this.#write(delivery, addressed, items)
    const attempt = await this.#attempt(mail)
    await this.untilStored(() => this.#storeOutcome(delivery, attempt))
    if (person === undefined) this.#countMailboxRefusals(address, attempt)
    else await this.untilStored(async () => void (await this.#storePersonsState(person.id, attempt)))
  }

  /** Undefined: mail to the person or the mailbox is stopped (`isStoppedAfter`), or there is no address that can stand in a mail. */
  async #findAddress(delivery: Delivery): Promise<Addressed | undefined> {
    const { recipient } = delivery
    if (!isForMailbox(delivery)) return this.#options.filler.readPerson(recipient)
    const address = recipient.slice(MAILBOX.length)
    const isStopped = isStoppedAfter(this.#mailboxRefusals.get(address) ?? 0)
    return isPlainAddress(address) && !isStopped ? { address } : undefined
  }

  /**
   * Checks each item of a mail again, and gives the items that the mail may still tell. The other steps are taken out of the outbox, so that they
   * can be told later: all steps when `addressed` is undefined.
   */
  async #recheckItems(delivery: Delivery, addressed: Addressed | undefined): Promise<readonly DueItem[] | "unread"> {
    const { outbox, filler } = this.#options
    const person = addressed?.person
    const items = new Map<string, DueItem>()
    const withdrawn: NoticeRow[] = []
    for (const notice of await outbox.noticesOf(delivery)) {
      const item = filler.findItem(notice)
      if (item === "unread") return item
      const step = toStep(notice.step)
      if (step === undefined) continue
      const mayBeTold =
        item === undefined ||
        (person === undefined
          ? isEscalatedTo(item, step, addressed?.address)
          : item.mayDecide(person.id) && mayStillBeTold(item, step, person))
      if (addressed === undefined || item === undefined || !mayBeTold) {
        withdrawn.push(notice)
        continue
      }
      // An item with two steps has one line.
      const key = JSON.stringify([notice.workId, notice.itemId])
      items.set(key, { item, steps: [...(items.get(key)?.steps ?? []), step] })
    }
    await outbox.removeNotices(delivery, withdrawn)
    filler.forget(delivery.recipient, withdrawn)
    return [...items.values()].sort((one, other) => one.item.since - other.item.since)
  }

  async #write(delivery: Delivery, { person, address }: Addressed, items: readonly DueItem[]): Promise<Mail> {
    const parts = this.#partsFor(address, delivery.id)
    const { content } = delivery
    const escalated = content === null ? {} : { escalatedAfterMs: Number(content) }
    const token =
      person === undefined ? {} : { unsubscribeToken: makeToken(await this.#options.tokenKey(), person.id, parts.now) }
    return writeNoticeMail(items, { ...escalated, ...token }, parts)
  }

  #partsFor(to: string, id: string): MailParts {
    const { configuration, labelOf } = this.#options
    return { id, to, from: configuration.from, publicUrl: configuration.publicUrl, now: Date.now(), labelOf }
  }

  async #attempt(mail: Mail): Promise<Attempt> {
    const beganAt = Date.now()
    const attempt = await sendMail(this.#options.configuration.server(), mail)
    this.#noteServer(attempt, beganAt)
    return attempt
  }

  /** Begins or ends an outage, with one line of the log each. */
  #noteServer({ kind, answer }: Attempt, beganAt: number): void {
    const { log } = this.#options
    // Attempts at the same time are one failure: this attempt began before the last failure was noted.
    if (kind === "unavailable" && this.#outage !== undefined && beganAt < this.#outage.notedAt) return
    if (kind !== "unavailable") {
      if (this.#outage !== undefined) log.warn({}, "the mail server takes mail again")
      this.#outage = undefined
      return
    }
    if (this.#outage === undefined) log.warn({ answer }, "the mail server takes no mail")
    const attempts = (this.#outage?.attempts ?? 0) + 1
    this.#outage = { attempts, notedAt: Date.now(), until: Date.now() + (retryAfter(attempts) ?? LONGEST_RETRY_MS) }
  }

  /** Stores in the outbox what became of a delivery: it is settled, or postponed to the next attempt. */
  async #storeOutcome(delivery: Delivery, { kind, answer }: Attempt): Promise<void> {
    const { outbox, count, log } = this.#options
    switch (kind) {
      case "accepted":
        await outbox.settle(delivery, "sent", answer)
        return count("mail", "sent")
      case "refused":
        await outbox.settle(delivery, "refused", answer)
        log.warn({ ...whoOf(delivery), answer }, "the mail server refused the address")
        return count("mail", "refused")
      case "unavailable":
        await outbox.postpone(delivery, this.#outage?.until ?? Date.now(), delivery.attempts, answer)
        return count("mail", "failed")
      case "deferred": {
        const attempts = delivery.attempts + 1
        const wait = retryAfter(attempts)
        if (wait === undefined) {
          await outbox.settle(delivery, "failed", answer)
          log.warn({ ...whoOf(delivery), answer }, "a mail was given up")
        } else {
          await outbox.postpone(delivery, Date.now() + wait, attempts, answer)
        }
        return count("mail", "failed")
      }
    }
  }

  /** Stores what became of the last mail to a person, for the settings of the person and for `isStoppedAfter`. */
  async #storePersonsState(personId: string, { kind }: Attempt): Promise<LastDelivery> {
    const state = ({ accepted: "delivered", refused: "refused", deferred: "failed", unavailable: "failed" } as const)[
      kind
    ]
    const { database } = this.#options
    return database.transaction("notices", (statements) => storeDeliveryState(statements, personId, state))
  }

  #countMailboxRefusals(address: string, { kind }: Attempt): void {
    if (kind === "accepted") this.#mailboxRefusals.delete(address)
    if (kind === "refused") this.#mailboxRefusals.set(address, (this.#mailboxRefusals.get(address) ?? 0) + 1)
  }
}

const isForMailbox = ({ recipient }: Delivery) => recipient.startsWith(MAILBOX)

/** Whether a rule still escalates an item to a mailbox. */
const isEscalatedTo = ({ escalations }: DueItem["item"], step: Step, address = "") =>
  escalations.some(({ rule, mailboxes }) => step === `escalated ${rule}` && mailboxes.includes(address))

/** A person's opaque id, for the log. A mailbox has no id, and its address must not be in the log. */
const whoOf = (delivery: Delivery) => (isForMailbox(delivery) ? {} : { person: delivery.recipient })

function toStep(text: string): Step | undefined {
  if (text === "told" || text === "handed" || text === "reminded") return text
  return text.startsWith("escalated ") ? `escalated ${text.slice("escalated ".length)}` : undefined
}
