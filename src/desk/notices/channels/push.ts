/** Push: messages to the devices of each person (RFC 8030). A message has a kind, a number and a path; `public/push.js` has its words. */
import { createHmac } from "node:crypto"
import type { Dispatcher } from "undici"
import * as v from "valibot"
import { loadOnce } from "../../../platform/load-once.ts"
import type { Channel, ChannelKind, Condition, Delivery, Notice, NoticeDesk, Places, Result } from "../channel.ts"
import { readBatch } from "../leave-times.ts"
import { pathOf, pathOfWork } from "../links.ts"
import { toDelivery } from "./mail.ts"
import { findDueNotices, mayStillBeNotified, type Reach } from "../due-notices.ts"
import { findOwnDeliveries, isAboutOwnWork, type OwnLine, type OwnStep, sumUp } from "../own-work.ts"
import type { Person } from "../people-now.ts"
import { post, type PostResult } from "./post.ts"
import { type PushConfiguration, readPushConfiguration } from "./push-configuration.ts"
import {
  type Device,
  findDevice,
  type PushRequests,
  readDevices,
  removeDevice,
  saveDevice,
  toWire,
} from "./push-devices.ts"
import { encryptPush } from "./push-encryption.ts"
import { findStillWaiting, postponeQuiet, postponeUnread } from "../still-waiting.ts"
import { createTestLimit } from "../test-limit.ts"
import { readVapid, type Vapid } from "./vapid.ts"
import type { WaitingItem } from "../waiting-items.ts"

const NAME = "push"

export const push: ChannelKind = {
  name: NAME,
  configure: (env, people) => {
    const configuration = readPushConfiguration(env, people)
    return configuration && createPush({ ...configuration, batchMs: readBatch(env) })
  },
}

export type PushOptions = PushConfiguration & {
  /** How long a first item waits for more. */
  readonly batchMs: number
  /** Makes the connections. Left out: undici's own. */
  readonly dispatcher?: Dispatcher
}

/** What the worker shows and opens. The names of the kinds are those of `public/push.js`. */
type Message = {
  readonly kind: "approval" | "clarification" | "items" | OwnStep | "works" | "test"
  readonly number: number
  readonly path: string
}

/** How a message goes to the push service. A newer message replaces one with the same topic that the device has not got yet. */
type Sent = { readonly message: Message; readonly topic: string; readonly isUrgent: boolean }

export function createPush(options: PushOptions): Channel {
  const { hosts, batchMs, contact } = options
  const tests = createTestLimit("test")
  let readKey: (() => Promise<Vapid>) | undefined
  const vapid = ({ database }: NoticeDesk) => (readKey ??= loadOnce(() => readVapid(database, contact)))()
  const sendTo = (device: Device, sent: Sent, key: Vapid) => postMessage(device, sent, key, options.dispatcher)

  async function send(
    delivery: Delivery,
    notices: readonly Notice[],
    desk: NoticeDesk,
    places: Places,
  ): Promise<Result> {
    const reached = await readReached(delivery, desk)
    if (reached === undefined) return { kind: "dropped", answer: "" }
    const found = await findSent(reached, delivery, notices, desk)
    if (found === "unread") return postponeUnread()
    const { sent, withdrawn } = found
    if (sent === undefined) return { kind: "dropped", answer: "", withdrawn }
    return { ...(postponeQuiet(reached) ?? (await sendToDevices(delivery, sent, desk, places))), withdrawn }
  }

  /** The devices that no earlier attempt has reached, by the host of their push service. */
  async function readOpenDevices(delivery: Delivery, desk: NoticeDesk): Promise<Map<string, Device[]>> {
    const { reached } = readContent(delivery)
    const devices = await readDevices(desk.database, delivery.recipient, hosts)
    return Map.groupBy(
      devices.filter(({ id }) => !reached.includes(id)),
      ({ endpoint }) => endpoint.host,
    )
  }

  /** Sends to each device that an earlier attempt has not reached, and whose host has room. */
  async function sendToDevices(delivery: Delivery, sent: Sent, desk: NoticeDesk, places: Places): Promise<Result> {
    const { isUrgent, reached: before } = readContent(delivery)
    const key = await vapid(desk)
    // Nothing waits for the store between this and the sending, so that a device that has just left gets nothing.
    const open = [...(await readOpenDevices(delivery, desk))]
    const leaving = open.filter(([host]) => places.has(host))
    const perHost = await Promise.all(
      leaving.map(async ([host, devices]) => {
        const sending = devices.map(async (device) => ({ id: device.id, ...(await sendTo(device, sent, key)) }))
        return Promise.all(sending).finally(() => places.leave(host))
      }),
    )
    const results = perHost.flat()
    const taken = results.filter(({ kind }) => kind === "sent")
    const gone = results.filter(({ kind }) => kind === "gone")
    const failed = results.find(({ kind }) => kind === "failed")
    const content = writeContent({ isUrgent, reached: [...before, ...taken.map(({ id }) => id)] })
    const also: Result["also"] = async (statements) => {
      // A device that the person has removed in the meantime is gone, too.
      for (const { id } of gone) await statements.write("DELETE FROM push_device WHERE id = ?", id)
      await statements.write("UPDATE notice_delivery SET content = ? WHERE sequence = ?", content, delivery.sequence)
    }
    // The attempt goes on later with the other devices, so it is not counted yet.
    if (leaving.length < open.length) {
      const now = Date.now()
      if (failed === undefined) return { kind: "postponed", until: now + FULL_MS, also }
      return { kind: "postponed", until: now + FAILED_MS, answer: failed.answer, also }
    }
    if (failed !== undefined) return { kind: "failed", answer: failed.answer, also }
    const isSent = before.length + taken.length > 0
    return { kind: isSent ? "sent" : "dropped", answer: (taken[0] ?? gone[0])?.answer ?? "", also }
  }

  const requests = (desk: NoticeDesk): PushRequests => ({
    settings: async (personId) => ({
      key: (await vapid(desk)).publicKey,
      devices: (await readDevices(desk.database, personId, hosts)).map(toWire),
    }),
    add: (owner, body) => saveDevice(desk.database, owner, body, hosts),
    remove: (personId, id) => removeDevice(desk.database, personId, id),
    test: async (personId, id) => {
      const device = await findDevice(desk.database, personId, id, hosts)
      tests.check(id)
      tests.note(id)
      const topic = await topicOf(desk, "test", personId)
      const { kind } = await sendTo(device, { message: TEST, topic, isUrgent: false }, await vapid(desk))
      if (kind === "gone") await removeDevice(desk.database, personId, id)
      const states = { sent: "delivered", gone: "refused", failed: "failed" } as const
      return { at: new Date().toISOString(), state: states[kind] }
    },
  })

  return {
    name: NAME,
    noun: "a push",
    order: "any",
    findDeliveries: async ({ now, lastLookAt, items, people, ownFor }) => {
      const found = await findDueNotices({ channel: NAME, now, lastLookAt, batchMs, items, people, reach })
      // Escalations are sent by mail, to the people whom the rule names.
      const waiting = found.filter(({ escalatedAfterMs }) => escalatedAfterMs === undefined).map(toDelivery)
      const timingOf = ({ pushFrom }: Person) => (pushFrom === undefined ? "nothing" : "at-once")
      const own = findOwnDeliveries({ own: ownFor(NAME), now, batchMs, people: people.all, timingOf })
      const withContent = own.map((made) => ({
        ...made,
        content: writeContent({ isUrgent: made.isUrgent, reached: [] }),
      }))
      return [...waiting, ...withContent]
    },
    notifiesOfOwnWork: ({ pushFrom }) => pushFrom !== undefined,
    places: { placesOf: async (delivery, desk) => [...(await readOpenDevices(delivery, desk)).keys()], exceptPlaces },
    send,
    who: (recipient) => ({ person: recipient }),
    push: requests,
  }
}

/** The shortest wait for devices whose host has no room. After that, the outbox selects the delivery once the host has room. */
const FULL_MS = 1_000
/** The shortest wait after a device failed in the same attempt. */
const FAILED_MS = 5_000

/** Selects the deliveries to people with a device that is at none of these hosts and was not reached yet. */
function exceptPlaces(hosts: readonly string[]): Condition {
  const origins = hosts.map((host) => `https://${host}/`)
  const isThere = origins.map(({ length }) => `substr(endpoint, 1, ${length}) = ?`).join(" OR ")
  // `content` names the devices that were reached: see `Content`.
  const sql = `EXISTS (SELECT 1 FROM push_device WHERE person_id = own.recipient AND NOT (${isThere})
    AND COALESCE(own.content, '') NOT LIKE '%"' || push_device.id || '"%')`
  return { sql, values: origins }
}

const TEST: Message = { kind: "test", number: 1, path: "/notices" }

/** A push leaves when a mail "at once" would, whatever the person's choice of mail is. */
const reach: Reach = (person: Person) =>
  person.pushFrom === undefined
    ? undefined
    : { person: { ...person, choice: { ...person.choice, mail: "at-once" } }, reachedSince: person.pushFrom }

/** The person as push reaches them now. Undefined: push can't reach them. */
async function readReached({ recipient }: Delivery, desk: NoticeDesk): Promise<Person | undefined> {
  const person = await desk.readPerson(recipient)
  return person && reach(person)?.person
}

type Found = { readonly sent: Sent | undefined; readonly withdrawn: readonly Notice[] }

/** The message about those notices of a delivery that still apply. `sent` is undefined if none does. */
async function findSent(
  person: Person,
  delivery: Delivery,
  notices: readonly Notice[],
  desk: NoticeDesk,
): Promise<Found | "unread"> {
  const isOwn = isAboutOwnWork(notices)
  const topic = await topicOf(desk, isOwn ? "own" : "waiting", person.id)
  if (isOwn) {
    const lines = await desk.findOwn(person, notices)
    if (lines === "unread") return lines
    const message = toOwnMessage(lines)
    return { sent: message && { message, topic, isUrgent: readContent(delivery).isUrgent }, withdrawn: [] }
  }
  const checked = findStillWaiting(notices, desk, (item, step) => {
    const mayDecide = (one: Person) => desk.mayDecide(one, item)
    return mayDecide(person) && mayStillBeNotified(item, step, person, mayDecide)
  })
  if (checked === "unread") return checked
  const items = checked.items.map(({ item }) => item)
  const isUrgent = items.some(({ watched }) => watched.work.priority === "urgent")
  const message = toMessage(items)
  return { sent: message && { message, topic, isUrgent }, withdrawn: checked.withdrawn }
}

function toMessage(items: readonly WaitingItem[]): Message | undefined {
  const [first] = items
  if (first === undefined) return undefined
  if (items.length === 1) return { kind: first.known.kind, number: 1, path: pathOf(first.known) }
  const hasApproval = items.some(({ known }) => known.kind === "approval")
  return { kind: "items", number: items.length, path: hasApproval ? "/approvals" : "/needs-you" }
}

function toOwnMessage(lines: readonly OwnLine[]): Message | undefined {
  const [line] = lines
  if (line === undefined) return undefined
  const { works, first } = sumUp(lines)
  return works === 1
    ? { kind: first, number: 1, path: pathOfWork(line.workId) }
    : { kind: "works", number: works, path: "/work" }
}

/** A name that means nothing to the push service, and differs for each person: at most 32 characters of base64url (RFC 8030, 5.4). */
async function topicOf(desk: NoticeDesk, subject: "waiting" | "own" | "test", personId: string): Promise<string> {
  const key = await desk.tokenKey()
  return createHmac("sha256", key).update(`push ${subject} ${personId}`).digest("base64url").slice(0, 32)
}

const contentText = v.pipe(v.string(), v.parseJson(), v.object({ isUrgent: v.boolean(), reached: v.array(v.string()) }))

/** What the outbox keeps with a push. `isUrgent`: it is about urgent own Work. `reached`: the ids of the devices that earlier attempts have reached. */
type Content = Readonly<v.InferOutput<typeof contentText>>

const writeContent = (content: Content): string => JSON.stringify(content)
const readContent = ({ content }: Delivery): Content =>
  content === undefined ? { isUrgent: false, reached: [] } : v.parse(contentText, content)

const TTL_SECONDS = 3_600

/** Hands a message to the push service of a device. */
async function postMessage(
  { endpoint, keys }: Device,
  { message, topic, isUrgent }: Sent,
  vapid: Vapid,
  dispatcher: Dispatcher | undefined,
): Promise<PostResult> {
  const headers = {
    authorization: await vapid.authorize(endpoint),
    "content-encoding": "aes128gcm",
    "content-type": "application/octet-stream",
    ttl: String(TTL_SECONDS),
    topic,
    urgency: isUrgent ? "high" : "normal",
  }
  const { kind, answer } = await post(endpoint, headers, encryptPush(JSON.stringify(message), keys), { dispatcher })
  // The browser has ended the subscription (RFC 8030, 7.3).
  return { kind: answer === "404" ? "gone" : kind, answer }
}
