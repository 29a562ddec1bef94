/**
 * START HERE for notices: tells people by mail, and the whole desk by a webhook, that something waits (`docs/notices.md`). Of all desks that share
 * a store, the one that holds the lease looks every second at what waits. `due.ts` says what is due to whom, `outbox.ts` keeps it, `mail-sender.ts`
 * and `webhook-sender.ts` send it.
 */
import { randomUUID } from "node:crypto"
import type { LastDelivery } from "../contract/desk-people.ts"
import type { Log } from "../contract/log.ts"
import type { Refusal } from "../contract/refusal.ts"
import type { Access } from "../people/access.ts"
import type { Directory } from "../people/directory.ts"
import type { Database } from "../store/database.ts"
import type { WatchState } from "../waiting/watch-state.ts"
import type { Sight } from "./audience.ts"
import type { CountNotice } from "./channel.ts"
import { readSettings, saveChoice, type SettingsAnswer, switchOff } from "./choices.ts"
import type { NoticesConfiguration } from "./notices-configuration.ts"
import { Faults, Holding } from "./holding.ts"
import { Look, type MarkSource } from "./look.ts"
import { MailSender } from "./mail-sender.ts"
import { noMailHere, noMailToYou, testTooSoon, tokenInvalid } from "./notice-refusals.ts"
import { Outbox, unsentFigures, type UnsentFigures } from "./outbox.ts"
import { isPerson, readToken, readTokenKey } from "./unsubscribe.ts"
import { WebhookSender } from "./webhook-sender.ts"
import { orRefusal } from "../people/or-refusal.ts"

export type NoticesOptions = {
  readonly configuration: NoticesConfiguration
  readonly database: Database
  readonly directory: Directory
  readonly access: () => Access
  /** Begins the watcher if it rests, and gives what it has read. Called every second, so that the watcher never rests. */
  readonly watch: () => WatchState
  readonly sight: Sight
  readonly marks: MarkSource
  /** The name of a colleague, or its id. */
  readonly labelOf: (colleagueId: string) => string
  /** Where the links of the webhook begin: PUBLIC_URL, or the desk's own address in local mode. Asked after `start`. */
  readonly links: () => URL
  readonly log: Log
  readonly count: CountNotice
}

export type Notices = {
  /** Begins to look at what waits. Call it when the desk listens. */
  start(): void
  /** Whether the desk sends mail to people. */
  readonly sendsMail: boolean
  /** Answers `GET /desk/notices`. */
  settings(personId: string): Promise<SettingsAnswer | Refusal>
  /** Answers `PUT /desk/notices`. */
  choose(personId: string, ifMatch: string | undefined, body: Buffer): Promise<SettingsAnswer | Refusal>
  /** Answers `POST /desk/notices/test`: sends one mail now. */
  sendTest(personId: string): Promise<LastDelivery | Refusal>
  /** Whether the token of a link that unsubscribes is valid. With `isConfirmed`, it also switches the person's mail off. */
  unsubscribe(token: string, isConfirmed: boolean): Promise<Refusal | undefined>
  /** What is unsent, for the metrics. @throws StoreUnavailableError */
  figures(): Promise<UnsentFigures>
  /** Gives the lease back, and waits a moment for what is being sent. */
  stop(): Promise<void>
}

const TEST_EVERY_MS = 10_000

/** Opens notices. Without a channel it only keeps choices. */
export function openNotices(options: NoticesOptions): Notices {
  const { configuration, database, log, count } = options
  const holder = randomUUID()
  const outbox = new Outbox(database, holder)
  const { mail, webhook } = configuration
  let tokenKey: Promise<Buffer> | undefined
  const readKey = () => {
    tokenKey ??= readTokenKey(database).catch((error: unknown) => {
      tokenKey = undefined
      throw error
    })
    return tokenKey
  }
  const faults = new Faults(log)
  const onFault = (error: unknown) => faults.note(error)
  const look = new Look({ ...options, outbox })
  const sender = mail
    ? new MailSender({
        outbox,
        database,
        configuration: mail,
        tokenKey: readKey,
        labelOf: options.labelOf,
        findPerson: (id) => look.findPerson(id),
        findItem: (notice) => look.findItem(notice),
        mayDecide: (item, personId) => look.mayDecide(item, personId),
        onRemoved: (recipient, notices) => look.forget(recipient, notices),
        log,
        count,
        onFault,
      })
    : undefined
  const poster = webhook && new WebhookSender({ outbox, configuration: webhook, log, count, onFault })
  const senders = [...(sender ? [sender] : []), ...(poster ? [poster] : [])]
  const holding = senders.length === 0 ? undefined : new Holding({ database, holder, outbox, look, senders, faults })

  const tested = new Map<string, number>()
  return {
    start: () => holding?.start(),
    sendsMail: sender !== undefined,
    settings: (personId) => orRefusal(() => readSettings(database, personId)),
    choose: (personId, ifMatch, body) =>
      orRefusal(() => database.transaction("notices", (statements) => saveChoice(statements, personId, ifMatch, body))),
    async sendTest(personId) {
      if (sender === undefined) return noMailHere
      const wait = (tested.get(personId) ?? Number.NEGATIVE_INFINITY) + TEST_EVERY_MS - performance.now()
      if (wait > 0) return testTooSoon(Math.ceil(wait / 1_000))
      return orRefusal(async () => {
        const addressed = await look.readPerson(personId)
        if (addressed === undefined) return noMailToYou
        tested.set(personId, performance.now())
        return sender.sendTest(addressed)
      })
    },
    unsubscribe: (token, isConfirmed) =>
      orRefusal(async () => {
        const personId = readToken(await readKey(), token, Date.now())
        if (personId === undefined || !(await isPerson(database, personId))) return tokenInvalid
        if (isConfirmed) await database.transaction("notices", (statements) => switchOff(statements, personId))
        return undefined
      }),
    figures: () => unsentFigures(database, Date.now()),
    async stop() {
      await holding?.stop()
    },
  }
}
