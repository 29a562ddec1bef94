/**
 * START HERE for notices: tells people by mail, and the whole desk by a webhook, that something waits (`docs/notices.md`). Of all desks that share
 * a store, the one that has the lease looks every second at what waits (`notice-loop.ts`). `due.ts` says what is due to whom, `outbox.ts` keeps it,
 * `mail-sender.ts` and `webhook.ts` send it.
 */
import { randomUUID } from "node:crypto"
import type { LastDelivery } from "../contract/desk-people.ts"
import type { Log } from "../platform/log.ts"
import type { Refusal } from "../http/refusal.ts"
import { refusal } from "../http/refusals.ts"
import type { Access } from "../people/access.ts"
import type { Directory } from "../people/directory.ts"
import { type Database, orRefusal, type Statements } from "../store/database.ts"
import type { DeskQueries } from "../overview/desk-queries.ts"
import type { WorkPeople } from "../record/work-people.ts"
import type { Claims } from "../waiting/claims/claims.ts"
import type { Views } from "../waiting/views.ts"
import type { Watcher } from "../waiting/watcher.ts"
import type { CountNotice } from "./channel.ts"
import { readSettings, saveChoice, type SettingsAnswer, switchOff } from "./choices.ts"
import type { NoticesConfiguration } from "./notices-configuration.ts"
import { OutboxFiller } from "./outbox-filler.ts"
import { Faults, NoticeLoop } from "./notice-loop.ts"
import { MailSender } from "./mail-sender.ts"
import { Outbox } from "./outbox.ts"
import { isPerson, readToken, readTokenKey } from "./unsubscribe.ts"
import { unsentFigures, type UnsentFigures } from "./unsent.ts"
import { WebhookSender } from "./webhook.ts"

export type NoticesOptions = {
  readonly configuration: NoticesConfiguration
  readonly database: Database
  readonly directory: Directory
  readonly access: () => Access
  /** What waits. The loop asks every second, so the watcher never rests. */
  readonly queries: Pick<DeskQueries, "claimable"> & {
    readonly watcher: Pick<Watcher, "use"> & { readonly views: Pick<Views, "of"> }
    readonly claims: Pick<Claims, "load" | "assignedTo" | "notFor" | "remindAt"> | undefined
  }
  /** Who created and decided what. Undefined in local mode. */
  readonly workPeople: Pick<WorkPeople, "of"> | undefined
  /** The name of a colleague, or its id. */
  readonly labelOf: (colleagueId: string) => string
  /** Where the links of the webhook begin: PUBLIC_URL, or the desk's own address in local mode. Asked after `start`. */
  readonly links: () => URL
  readonly log: Log
  readonly count: CountNotice
}

/** How often a person may send a test mail. */
const TEST_EVERY_MS = 10_000

/** The requests about notices, and the loop that sends them. Without a channel there is no loop, and people can only store their choices. */
export class Notices {
  readonly #database: Database
  readonly #filler: OutboxFiller
  readonly #sender: MailSender | undefined
  readonly #loop: NoticeLoop | undefined
  /** When each person last sent a test mail. */
  readonly #tested = new Map<string, number>()
  #tokenKey: Promise<Buffer> | undefined

  constructor(options: NoticesOptions) {
    const { configuration, database, log, count } = options
    const { mail, webhook } = configuration
    const holder = randomUUID()
    const outbox = new Outbox(database, holder)
    const faults = new Faults(log)
    const filler = new OutboxFiller({ ...options, outbox })
    const shared = { outbox, log, count, onFault: (error: unknown) => faults.note(error) }
    const tokenKey = () => this.#readTokenKey()
    this.#database = database
    this.#filler = filler
    this.#sender = mail && new MailSender({ ...shared, ...options, filler, configuration: mail, tokenKey })
    const poster = webhook && new WebhookSender({ ...shared, configuration: webhook })
    const senders = [this.#sender ?? [], poster ?? []].flat()
    if (senders.length > 0) this.#loop = new NoticeLoop({ database, holder, outbox, filler, senders, faults })
  }

  /** Begins to look at what waits. Call this when the desk listens. */
  start(): void {
    this.#loop?.start()
  }

  /** Whether the desk sends mail to people. */
  get sendsMail(): boolean {
    return this.#sender !== undefined
  }

  /** Answers `GET /desk/notices`. */
  settings(personId: string): Promise<SettingsAnswer | Refusal> {
    return orRefusal(() => readSettings(this.#database, personId))
  }

  /** Answers `PUT /desk/notices`. */
  choose(personId: string, ifMatch: string | undefined, body: Buffer): Promise<SettingsAnswer | Refusal> {
    const save = (statements: Statements) => saveChoice(statements, personId, ifMatch, body)
    return orRefusal(() => this.#database.transaction("notices", save))
  }

  /** Answers `POST /desk/notices/test`: sends one mail now. */
  async sendTest(personId: string): Promise<LastDelivery | Refusal> {
    const sender = this.#sender
    if (sender === undefined) return noMailHere
    const wait = (this.#tested.get(personId) ?? Number.NEGATIVE_INFINITY) + TEST_EVERY_MS - performance.now()
    if (wait > 0) return testTooSoon(Math.ceil(wait / 1_000))
    return orRefusal(async () => {
      const addressed = await this.#filler.readPerson(personId)
      if (addressed === undefined) return noMailToYou
      this.#tested.set(personId, performance.now())
      return sender.sendTest(addressed)
    })
  }

  /** Whether the token of a link that unsubscribes is valid. With `isConfirmed`, it also switches the person's mail off. */
  unsubscribe(token: string, isConfirmed: boolean): Promise<Refusal | undefined> {
    return orRefusal(async () => {
      const personId = readToken(await this.#readTokenKey(), token, Date.now())
      if (personId === undefined || !(await isPerson(this.#database, personId))) return tokenInvalid
      if (isConfirmed) await this.#database.transaction("notices", (statements) => switchOff(statements, personId))
      return undefined
    })
  }

  #readTokenKey(): Promise<Buffer> {
    this.#tokenKey ??= readTokenKey(this.#database).catch((error: unknown) => {
      this.#tokenKey = undefined
      throw error
    })
    return this.#tokenKey
  }

  /** What is unsent, for the metrics. @throws StoreUnavailableError */
  figures(): Promise<UnsentFigures> {
    return unsentFigures(this.#database, Date.now())
  }

  /** Gives the lease back, and waits a moment for what is being sent. */
  async stop(): Promise<void> {
    await this.#loop?.stop()
  }
}

const noMailHere = refusal(409, "PROXY_NOTICES_NO_MAIL", "No mail server is configured for this desk.", {
  title: "This desk sends no mail",
})

const noMailToYou = refusal(
  409,
  "PROXY_NOTICES_NO_MAIL",
  "Your identity provider has not verified an address of yours that mail can be sent to, or the mail server has refused it three times in a row. Signing in again makes the desk try again.",
  { title: "No mail can be sent to you" },
)

const testTooSoon = (retryAfterSeconds: number) =>
  refusal(429, "PROXY_NOTICES_TEST_TOO_SOON", "A test mail was sent within the last ten seconds.", {
    retryable: true,
    retryAfterSeconds,
  })

const tokenInvalid = refusal(
  400,
  "PROXY_NOTICES_TOKEN_INVALID",
  "The link is not whole, or it is older than 90 days. You can change when you get mail on the page Notices of the desk.",
  { title: "This link does not work" },
)
