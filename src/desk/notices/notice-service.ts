/**
 * START HERE for notices: notifies people by mail and push, teams in chats, and programs by a webhook of pending items (`docs/notices.md`). Of all
 * desks that share a store, the one that has the lease looks every second at what is pending (`notice-loop.ts`). Each channel (`channel.ts`) says who is
 * to be notified of what. The outbox keeps it (`new-deliveries.ts`, `outbox.ts`), and `sending.ts` sends it.
 */
import { randomUUID } from "node:crypto"
import type { LastDelivery, NoticeSettings } from "../../contract/desk-people.ts"
import { refusal } from "../../platform/http/refusals.ts"
import { Refused } from "../../platform/http/send.ts"
import type { Tagged } from "../../platform/http/tagged.ts"
import { loadOnce } from "../../platform/load-once.ts"
import type { Channel, NoticeDesk } from "./channel.ts"
import { readSettings, saveChoice, switchOff } from "./choices.ts"
import type { HeadSending } from "./head-sending.ts"
import { KnownItems } from "./known-items.ts"
import { NoticeLoop, type NoticeLoopOptions } from "./notice-loop.ts"
import { Outbox } from "./outbox.ts"
import { findOwn, type OwnSources, seesWork } from "./own-work.ts"
import { createReadPeople } from "./people-now.ts"
import type { PushRequests } from "./channels/push-devices.ts"
import { createTestLimit } from "./test-limit.ts"
import { isPerson, readToken, readTokenKey } from "./unsubscribe.ts"
import { unsentFigures, type UnsentFigures } from "./unsent.ts"
import { findWaiting, mayDecideNow } from "./waiting-items.ts"
import { forgetSteps } from "./work-steps.ts"

export type NoticesOptions = Omit<NoticeLoopOptions, "holder" | "outbox" | "known" | "desk" | "readPeople"> & {
  readonly queries: OwnSources["queries"]
  readonly workPeople: OwnSources["workPeople"]
  /** OIDC_ISSUER. Undefined in local mode. */
  readonly issuer: string | undefined
  /** The name of a colleague, or its id. */
  readonly labelOf: (colleagueId: string) => string
  /** Names this process in the lease. A new name if left out. */
  readonly holder?: string | undefined
  /** Sends signed heads of the record, under the same lease. Left out if this process sends none. */
  readonly heads?: HeadSending | undefined
  /** Where links begin: PUBLIC_URL, or the desk's own address in local mode. Asked after `start`. */
  readonly links: () => URL
}

/** The requests about notices, and the loop that sends them. Without a channel nothing is looked at, and people can only store their choices. */
export class Notices {
  readonly loop: NoticeLoop
  readonly #options: NoticesOptions
  readonly #desk: NoticeDesk
  readonly #tests = createTestLimit("test mail")
  readonly #readTokenKey = loadOnce(() => readTokenKey(this.#options.database))

  constructor(options: NoticesOptions) {
    const holder = options.holder ?? randomUUID()
    const known = new KnownItems()
    const readPeople = createReadPeople(options)
    this.#options = options
    this.#desk = {
      ...options,
      findItem: (notice) => findWaiting(options, known, notice),
      findOwn: (person, notices) => findOwn(options, person, notices),
      seesWork: (person, workId) => seesWork(options, person, workId),
      mayDecide: (person, item) => mayDecideNow(options, person, item),
      readPerson: async (id) => (await readPeople(id)).people.get(id),
      tokenKey: this.#readTokenKey,
    }
    const outbox = new Outbox(options.database, holder)
    this.loop = new NoticeLoop({ ...options, holder, outbox, known, desk: this.#desk, readPeople })
  }

  /** Begins to look at what is pending. Call this when the desk listens. */
  start(): void {
    const { channels, database, heads } = this.#options
    heads?.start()
    if (channels.length > 0) return this.loop.start()
    // Results of Work that come in the meantime are not sent when a channel is configured later. While the store is away, it may be.
    void database.transaction("notices", forgetSteps).catch(() => undefined)
  }

  /** Whether the desk sends mail to people. */
  get sendsMail(): boolean {
    return this.#testPerson !== undefined
  }

  get #testPerson(): Channel["testPerson"] {
    return this.#options.channels.find(({ testPerson }) => testPerson !== undefined)?.testPerson
  }

  /** Answers the requests about people's devices. Undefined: the desk has no push. */
  get push(): PushRequests | undefined {
    return this.#options.channels.find(({ push }) => push !== undefined)?.push?.(this.#desk)
  }

  /** Answers `GET /desk/notices`. @throws StoreUnavailableError */
  settings(personId: string): Promise<Tagged<NoticeSettings>> {
    return readSettings(this.#options.database, personId)
  }

  /** Answers `PUT /desk/notices`. @throws Refused @throws StoreUnavailableError */
  choose(personId: string, ifMatch: string | undefined, body: Buffer): Promise<Tagged<NoticeSettings>> {
    return this.#options.database.transaction("notices", (statements) =>
      saveChoice(statements, personId, ifMatch, body),
    )
  }

  /** Answers `POST /desk/notices/test`: sends one mail now. @throws Refused @throws StoreUnavailableError */
  async sendTest(personId: string): Promise<LastDelivery> {
    const test = this.#testPerson
    if (test === undefined) throw new Refused(noMailHere)
    this.#tests.check(personId)
    const person = await this.#desk.readPerson(personId)
    if (person?.address === undefined) throw new Refused(noMailToYou)
    this.#tests.note(personId)
    return test(personId, person.address, this.#desk)
  }

  /** Whether the token of a link that unsubscribes is valid. With `isConfirmed`, it also switches the person's mail off. @throws StoreUnavailableError */
  async unsubscribe(token: string, isConfirmed: boolean): Promise<boolean> {
    const personId = readToken(await this.#readTokenKey(), token, Date.now())
    if (personId === undefined || !(await isPerson(this.#options.database, personId))) return false
    if (isConfirmed)
      await this.#options.database.transaction("notices", (statements) => switchOff(statements, personId))
    return true
  }

  /** The unsent deliveries, for the metrics. @throws StoreUnavailableError */
  figures(): Promise<UnsentFigures> {
    return unsentFigures(this.#options.database, Date.now())
  }

  /** Gives the lease back, and waits a moment for what is being sent. */
  async stop(): Promise<void> {
    // The loop gives the lease back, under which the heads are sent.
    await this.#options.heads?.pause()
    await this.loop.stop()
  }
}

const noMailHere = refusal(409, "PROXY_NOTICES_NO_MAIL", "No mail server is configured for this desk.", {
  title: "This desk sends no mail",
})

const noMailToYou = refusal(
  409,
  "PROXY_NOTICES_NO_MAIL",
  "Your identity provider has no verified address for you, or the mail server refused it three times. Sign in again, then send the test again.",
  { title: "No mail can be sent to you" },
)
