/** A channel is one way by which notices leave, such as mail. It is one object in its own file, and one line of `channels.ts`. */
import type { LastDelivery } from "../../contract/desk-people.ts"
import type { PeopleConfiguration } from "../people/sign-in-configuration.ts"
import type { Environment } from "../../platform/environment.ts"
import type { Log } from "../../platform/log.ts"
import type { RereadFiles } from "../../platform/reread-files.ts"
import type { Database, Statements } from "../store/database.ts"
import type { EndedItem } from "../watcher/known-list.ts"
import type { AblePeople } from "./able-people.ts"
import type { KnownItem } from "./known-items.ts"
import type { OwnNotice } from "./own-notices.ts"
import type { OwnLine } from "./own-work.ts"
import type { Person } from "./people-now.ts"
import type { PushRequests } from "./channels/push-devices.ts"
import type { WaitingItem } from "./waiting-items.ts"
import type { WorkStep } from "./work-steps.ts"

/** The result of a delivery. `failed`: it was given up. */
export const OUTCOMES = ["sent", "refused", "failed", "dropped"] as const
export type Outcome = (typeof OUTCOMES)[number]

/** One thing that a recipient is notified of: a step of an item in a version. */
export type Notice = {
  readonly workId: string
  readonly itemId: string
  readonly version: string
  readonly step: string
}

/** What a channel wants to send to one recipient. The outbox leaves out what the recipient was notified of before. */
export type NewDelivery = {
  readonly recipient: string
  /** What only the channel reads. */
  readonly content?: string | undefined
  /** The step that announces the end of an item. If the recipient was notified of it, the item is pending again, and its earlier notices are removed. */
  readonly endStep?: string
  readonly notices: readonly { readonly item: Notified; readonly step: string }[]
}

/** What a notice is about, and who is notified of it. `itemId` is empty when it is about the Work itself. */
export type Notified = Pick<KnownItem, "workId" | "itemId" | "version" | "notified">

/** A delivery that is not settled. */
export type Delivery = {
  readonly sequence: number
  /** The same at every attempt, so that the other side knows a repetition. */
  readonly id: string
  readonly recipient: string
  readonly content?: string | undefined
  /** How many attempts have failed. */
  readonly attempts: number
}

/** What the desk finds when it looks. Moments are milliseconds since 1970. */
export type Look = {
  readonly now: number
  readonly lastLookAt: number
  /** What is pending, oldest first. */
  readonly items: readonly WaitingItem[]
  /** What is no longer pending since the last look. */
  readonly ended: readonly EndedItem<KnownItem>[]
  readonly people: AblePeople
  /** The results of Work since the last look and since the channel with this name exists. */
  readonly stepsFor: (channel: string) => readonly WorkStep[]
  /** The notices of own Work that are in no delivery of this channel yet (`notifiesOfOwnWork`). `findOwnDeliveries` chooses what leaves now. */
  readonly ownFor: (channel: string) => readonly OwnNotice[]
}

/** What a channel can ask of the desk. */
export type NoticeDesk = {
  readonly database: Database
  readonly log: Log
  /** The item of a notice, if it is still pending in this version. `unread`: the watcher will soon know. Undefined: it is no longer pending, or cannot be read. */
  readonly findItem: (notice: Notice) => WaitingItem | "unread" | undefined
  /** The lines of a delivery about own Work that still apply to the person. `unread`: the watcher will soon know. @throws StoreUnavailableError */
  readonly findOwn: (person: Person, notices: readonly Notice[]) => Promise<readonly OwnLine[] | "unread">
  /** Whether a person sees a Work now. @throws StoreUnavailableError */
  readonly seesWork: (person: Person, workId: string) => Promise<boolean>
  /** Whether a person may see and decide an item now. */
  readonly mayDecide: (person: Person, item: WaitingItem) => boolean
  /** A person who can be notified, as the store has the person now. @throws StoreUnavailableError */
  readonly readPerson: (personId: string) => Promise<Person | undefined>
  /** The key that signs the links of mails. @throws StoreUnavailableError */
  readonly tokenKey: () => Promise<Buffer>
  /** The name of a colleague, or its id. */
  readonly labelOf: (colleagueId: string) => string
  /** Where links begin. */
  readonly links: () => URL
}

/** The result of an attempt. `answer` is a code such as 250 or ECONNREFUSED, because a text of the other side may hold an address. */
export type Result = (
  | { readonly kind: "sent" | "refused" | "dropped"; readonly answer: string }
  /** It is tried again later, and given up after the last try. */
  | { readonly kind: "failed"; readonly answer: string }
  /** The recipient wants no more deliveries: this desk keeps them, and sends none before a restart. */
  | { readonly kind: "gone"; readonly answer: string }
  /** It is tried again at `until`, and never given up for this. With an `answer` it counts as a failed attempt. */
  | { readonly kind: "postponed"; readonly until: number; readonly answer?: string }
) & {
  /** Notices that were left out. A later delivery may have them. */
  readonly withdrawn?: readonly Notice[]
  /** Runs in the transaction that stores the result. */
  readonly also?: (statements: Statements) => Promise<unknown>
}

/**
 * The places that the deliveries of a channel go to, such as hosts. At most two deliveries are under way to each place, so that a place that accepts
 * and does not answer delays no other. A delivery is sent to the places that have room, and the channel postpones the rest.
 */
export type PlacesOfChannel = {
  /** Finds the places that a delivery still has to reach. @throws StoreUnavailableError */
  readonly placesOf: (delivery: Delivery, desk: NoticeDesk) => Promise<readonly string[]>
  /** Selects the deliveries (rows of `notice_delivery AS own`) that still have to reach a place that is not in `full`. */
  readonly exceptPlaces: (full: readonly string[]) => Condition
}

/** A condition of SQL. */
export type Condition = { readonly sql: string; readonly values: readonly string[] }

/** The places that a delivery may go to now. */
export type Places = {
  readonly has: (place: string) => boolean
  /** Frees one place before the delivery ends. The end of the delivery frees all its places. */
  readonly leave: (place: string) => void
}

export type Channel = {
  /** Names the channel in the store, in the metrics and in `npm run notices -- list`. */
  readonly name: string
  /** What one delivery is called in the log. */
  readonly noun: string
  /** `by-item`: deliveries about one item leave one after the other, and a newer one replaces an older one that has not left. */
  readonly order: "any" | "by-item"
  /** Finds what is to be sent now, and to whom. */
  readonly findDeliveries: (look: Look, desk: NoticeDesk) => Promise<readonly NewDelivery[]>
  /** Whether the channel notifies a person of results of their own Work. Left out: nobody. Results that come while this is false are never sent. */
  readonly notifiesOfOwnWork?: (person: Person) => boolean
  /** How many deliveries may be under way now. Left out: as many as the desk sends at a time. */
  readonly maxAtATime?: () => number
  /** Left out: the channel has one place, and only the number of its deliveries is limited. */
  readonly places?: PlacesOfChannel
  /** Checks the notices once more, writes the text and sends it. Sending comes last: when this throws, nothing was sent. */
  readonly send: (delivery: Delivery, notices: readonly Notice[], desk: NoticeDesk, places: Places) => Promise<Result>
  /** How a recipient is named in the log, without secrets. */
  readonly who?: (recipient: string) => { readonly person?: string; readonly host?: string }
  /** Sends one test for `npm run notices`, and returns what the other side answered. Left out: people send tests on the page. */
  readonly test?: (to: string) => Promise<{ readonly isTaken: boolean; readonly answer: string }>
  /** Sends a test mail that a person asks for on the page. */
  readonly testPerson?: (personId: string, address: string, desk: NoticeDesk) => Promise<LastDelivery>
  /** Answers the requests about people's devices. */
  readonly push?: (desk: NoticeDesk) => PushRequests
}

/** A kind of channel: how it is configured, and how `npm run notices` tests it, if it can. */
export type ChannelKind = {
  readonly name: string
  readonly test?: {
    readonly command: string
    /** Whether the command names the address for the test. */
    readonly needsAddress: boolean
    readonly usage: string
    /** The other side and what it takes, as the command prints them. */
    readonly words: readonly [string, string]
    /** Why there is nothing to test. */
    readonly unset: string
  }
  /** Reads the channel's variables. Undefined: the channel is not used. @throws ConfigurationError in a line that shows no value */
  readonly configure: (env: Environment, people: PeopleConfiguration, files: RereadFiles) => Channel | undefined
}
