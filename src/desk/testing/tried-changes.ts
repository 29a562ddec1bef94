/** The changes that are tried while one call fails: every mutation of the API, and every write of the desk. */
import { randomUUID } from "node:crypto"
import { expect } from "vitest"
import { operations } from "../../contract/operations.ts"
import { send, type Reply } from "./desk.ts"
import { type DeskOptions, type Fault, FAULTS, type FaultyDesk, type Item, TRACE } from "./faulty-desk.ts"
import { newBrowserKeys } from "../notices/channels/push-receiver.ts"
import { makeToken, readTokenKey } from "../notices/unsubscribe.ts"
import type { PersonHeaders } from "./sign-in.ts"

/** A request that changes something. Everything that it needs has been created. */
export type Tried = {
  readonly method: string
  readonly path: string
  readonly body?: object
  /** The body as a form, for an address that accepts no JSON. */
  readonly form?: string
  readonly ifMatch?: string
  /** The request's operation in the record. Undefined: the request is not recorded. */
  readonly operation?: string
  /** Whether the desk shows the request's effect. Left out for a mutation, whose effect is at the service. */
  readonly isDone?: () => Promise<boolean>
  /** Whether the store has the effect. Left out: whether the record has the operation. */
  readonly isStored?: () => Promise<boolean>
  /** The allowed statuses when the request is sent again. Left out: success. */
  readonly again?: readonly number[]
}
export type Change = (desk: FaultyDesk, person: PersonHeaders) => Promise<Tried>

/** Reads an address as a person. */
export const readAs = async (desk: FaultyDesk, person: PersonHeaders, path: string): Promise<Reply> => {
  const reply = await send(desk.url, path, { headers: person })
  expect(reply.status, reply.text).toBe(200)
  return reply
}
const decide =
  (decision: string): Change =>
  async ({ service }) => {
    const { work, item } = await service.newLetter()
    const path = `/api/v1/work/${work}/approvals/${item}/resolve`
    return { method: "POST", path, body: { decision }, ifMatch: '"1"', operation: "resolveWorkApproval" }
  }

/** The mutations of the API. */
export const MUTATIONS = {
  createWork: async () => ({
    method: "POST",
    path: "/api/v1/work",
    body: { colleague_id: "clerk", objective: "Do this", visibility_scope: "organization" },
    operation: "createWork",
  }),
  createInputUpload: async () => ({
    method: "POST",
    path: "/api/v1/uploads",
    body: { name: "a.csv", media_type: "text/csv", content: "a,b\n1,2\n" },
    operation: "createInputUpload",
  }),
  answer: async ({ service }) => {
    const { work, item } = await service.newQuestion()
    const path = `/api/v1/work/${work}/attention/${item}/resolve`
    return { method: "POST", path, body: { response: "first" }, ifMatch: '"1"', operation: "resolveWorkAttention" }
  },
  approve: decide("approve"),
  decline: decide("decline"),
  retry: async (desk, person) => {
    // The service's scan of a file with this content fails, and may be tried again.
    const upload = { name: "stale-signatures.csv", media_type: "text/csv", content: "a,b\n1,2\n" }
    const added = await request(desk, person, { method: "POST", path: "/api/v1/uploads", body: upload }, randomUUID())
    const { id }: { id: string } = JSON.parse(added.text)
    const state = async () => (await readAs(desk, person, `/api/v1/uploads/${id}`)).text
    await expect.poll(state).toContain('"scan_failed"')
    return {
      method: "POST",
      path: `/api/v1/uploads/${id}/processing/retry`,
      operation: "retryInputUploadProcessing",
    }
  },
} satisfies Readonly<Record<string, Change>>

/** The last of two approves. */
const lastApprove: Change = async (desk, person) => {
  const tried = await decide("approve")(desk, person)
  const other = await desk.signIn(`Other ${randomUUID()}`, ["all"])
  expect((await request(desk, other, tried, randomUUID())).status).toBe(202)
  return tried
}
/** The first of two approves, and its withdrawal. */
const firstApprove: Change = async (desk, person) => {
  const tried = await decide("approve")(desk, person)
  return {
    ...tried,
    isDone: async () =>
      (await entriesOf(desk, person, "resolveWorkApproval")).some(({ outcome }) => outcome === "held"),
  }
}
const withdrawal: Change = async (desk, person) => {
  const first = await decide("approve")(desk, person)
  expect((await request(desk, person, first, randomUUID())).status).toBe(202)
  const [, , , , work, , item] = first.path.split("/")
  const path = `/desk/approvals/${work}/${item}/mine`
  const held = async () =>
    (await desk.plain.read("SELECT 1 FROM held_approval WHERE approval_id = ?", item ?? "")).length > 0
  return {
    method: "DELETE",
    path,
    operation: "withdrawApproval",
    isDone: async () => !(await held()),
    again: [204, 404],
  }
}

/** The changes of an approval that needs two approves. */
const OF_SEVERAL = { firstApprove, lastApprove, withdrawal }

/** Assigns an item that the watcher has read, to the person. */
async function assigned(desk: FaultyDesk, person: PersonHeaders) {
  const item = await watchedQuestion(desk, person)
  const isAssigned = async () => JSON.stringify(await entryOf(desk, person, item)).includes('"assignment"')
  const body = { ...item, to: { person: person["Desk-Person"] } }
  const tried = { method: "PUT", path: "/desk/assignment", body, ifMatch: '"none"', operation: "takeItem" }
  return { item, isAssigned, tried }
}

/** An absence of a person from now on. */
const absence = (): object => {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString()
  return { from: at(0), until: at(3_600_000), stand_in: null }
}

/** Work whose question is new to the person who delegated it. */
async function newToDelegator(desk: FaultyDesk, person: PersonHeaders) {
  // What happened before a person's first look counts as seen.
  await readAs(desk, person, "/desk/seen")
  const created = await request(desk, person, await MUTATIONS.createWork(), randomUUID())
  const { id }: { id: string } = JSON.parse(created.text)
  const isNew = async () => (await readAs(desk, person, "/desk/seen")).text.includes(id)
  await expect.poll(isNew).toBe(true)
  return { work: id, isDone: async () => !(await isNew()) }
}

const isSignedIn = async (desk: FaultyDesk, person: PersonHeaders) =>
  (await readAs(desk, person, "/desk/session")).text.includes(person["Desk-Person"])

/** Changes at the desk alone. */
export const DESK_WRITES = {
  assignment: async (desk, person) => {
    const { tried, isAssigned } = await assigned(desk, person)
    return { ...tried, isDone: isAssigned }
  },
  giveBack: async (desk, person) => {
    const { tried, item, isAssigned } = await assigned(desk, person)
    const { etag } = (await request(desk, person, tried, randomUUID())).headers
    const isDone = async () => !(await isAssigned())
    return { ...tried, body: { ...item, to: null }, ...(etag && { ifMatch: etag }), operation: "giveBackItem", isDone }
  },
  aside: async (desk, person) => {
    const item = await watchedQuestion(desk, person)
    const isDone = async () => JSON.stringify(await entryOf(desk, person, item)).includes('"aside"')
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const isStored = async () => {
      const rows = await desk.plain.read("SELECT 1 FROM aside WHERE person_id = ?", person["Desk-Person"])
      return rows.length > 0
    }
    return { method: "PUT", path: "/desk/aside", body: { ...item, version: "1", until }, isDone, isStored }
  },
  away: async (desk, person) => {
    const isDone = async () => (await readAs(desk, person, "/desk/away")).text !== "null"
    return { method: "PUT", path: "/desk/away", body: absence(), ifMatch: '"none"', operation: "setAway", isDone }
  },
  seen: async (desk, person) => {
    const { work, isDone } = await newToDelegator(desk, person)
    const { version }: { version: number } = JSON.parse((await readAs(desk, person, `/api/v1/work/${work}`)).text)
    return { method: "POST", path: "/desk/seen", body: { work, version: String(version) }, isDone }
  },
  allSeen: async (desk, person) => {
    const { isDone } = await newToDelegator(desk, person)
    const { etag } = (await readAs(desk, person, "/desk/seen")).headers
    // A desk that has forgotten its answer asks to read the list again.
    return { method: "POST", path: "/desk/seen", body: { all: etag }, isDone, again: [204, 412] }
  },
  touch: async (desk, person) => ({
    method: "POST",
    path: "/desk/session/touch",
    isDone: () => isSignedIn(desk, person),
  }),
  signOut: async (desk, person) => {
    const isDone = async () => !(await isSignedIn(desk, person))
    return { method: "POST", path: "/desk/sign-out", isDone, again: [200, 401] }
  },
  signOutByProvider: async (desk, person) => {
    const { name }: { name: string } = JSON.parse((await readAs(desk, person, "/desk/session")).text).person
    const form = `logout_token=${await desk.provider.logoutToken({ sub: name })}`
    const isDone = async () => !(await isSignedIn(desk, person))
    return { method: "POST", path: "/desk/sign-out/back", form, isDone, again: [200, 400] }
  },
  views: async (desk, person) => {
    const { etag = "" } = (await readAs(desk, person, "/desk/views")).headers
    const isDone = async () => (await readAs(desk, person, "/desk/views")).text.includes("Mine")
    const body = { views: [{ name: "Mine", query: "status=done" }] }
    return { method: "PUT", path: "/desk/views", body, ifMatch: etag, isDone }
  },
  freeze: async (desk, person) => {
    const colleague = `clerk-${randomUUID()}`
    const isDone = async () => (await readAs(desk, person, "/desk/freeze")).text.includes(colleague)
    return { method: "PUT", path: "/desk/freeze", body: { colleague, reason: "wild" }, operation: "freeze", isDone }
  },
  unfreeze: async (desk, person) => {
    const colleague = `clerk-${randomUUID()}`
    const begin: Tried = { method: "PUT", path: "/desk/freeze", body: { colleague, reason: "wild" } }
    expect((await request(desk, person, begin, randomUUID())).status).toBe(200)
    const isDone = async () => !(await readAs(desk, person, "/desk/freeze")).text.includes(colleague)
    return {
      method: "DELETE",
      path: `/desk/freeze?colleague=${colleague}`,
      operation: "unfreeze",
      isDone,
      again: [204, 404],
    }
  },
} satisfies Readonly<Record<string, Change>>

const CHOICE = {
  mail: "daily",
  urgent_at_once: true,
  quiet_from: "22:00",
  quiet_until: "06:00",
  time_zone: "Europe/Oslo",
  own_work: "steps",
}

/** Registers a device of the person. */
async function device(desk: FaultyDesk, person: PersonHeaders) {
  const { keys } = newBrowserKeys()
  const label = `Firefox ${randomUUID()}`
  const endpoint = `https://a.push.example/${randomUUID()}`
  const tried = { method: "POST", path: "/desk/push", body: { endpoint, keys, label } }
  const isKept = async () => (await readAs(desk, person, "/desk/push")).text.includes(label)
  const isPushed = async () => (await readAs(desk, person, "/desk/notices")).text.includes('"push":true')
  return { tried, isKept, isPushed }
}

/** Changes of what a person is notified of. */
export const OF_NOTICES = {
  choice: async (desk, person) => {
    const isDone = async () => (await readAs(desk, person, "/desk/notices")).text.includes("22:00")
    return { method: "PUT", path: "/desk/notices", body: CHOICE, ifMatch: '"0"', isDone }
  },
  unsubscribe: async (desk, person) => {
    const token = makeToken(await readTokenKey(desk.plain), person["Desk-Person"], Date.now())
    const isDone = async () => (await readAs(desk, person, "/desk/notices")).text.includes('"mail":"off"')
    return { method: "POST", path: `/desk/notices/unsubscribe?token=${token}`, isDone }
  },
  device: async (desk, person) => {
    const { tried, isKept, isPushed } = await device(desk, person)
    // Push is never on without the device.
    return { ...tried, isDone: async () => (await isKept()) && (await isPushed()), isStored: isPushed }
  },
  deviceRemoval: async (desk, person) => {
    const { tried, isKept } = await device(desk, person)
    const { id }: { id: string } = JSON.parse((await request(desk, person, tried, randomUUID())).text)
    const isDone = async () => !(await isKept())
    return { method: "DELETE", path: `/desk/push/${id}`, isDone, again: [204, 404] }
  },
} satisfies Readonly<Record<string, Change>>

type TriedChange = { readonly change: Change; readonly options: DeskOptions; readonly faults: readonly Fault[] }
const tryEach = (changes: Readonly<Record<string, Change>>, options: DeskOptions = {}, faults = FAULTS) =>
  Object.entries(changes).map(([name, change]): [string, TriedChange] => [name, { change, options, faults }])

/** A change at the desk alone needs the service for a read at most. */
const FAULTS_OF_DESK_WRITES = FAULTS.filter(({ of, how }) => of === "store" || how === "lost" || how === "failed")

/** All changes by their names, each with what its desk needs. */
export const CHANGES: ReadonlyMap<string, TriedChange> = new Map([
  ...tryEach(MUTATIONS),
  ...tryEach(DESK_WRITES, {}, FAULTS_OF_DESK_WRITES),
  ...tryEach(OF_SEVERAL, { isSeveral: true }),
  ...tryEach(OF_NOTICES, { hasNotices: true }, FAULTS_OF_DESK_WRITES),
])

/** Why no change tries an address that is not read by GET. */
export const NOT_TRIED: Readonly<Record<string, string>> = {
  "POST /desk/presence": "is kept in memory only",
  "POST /desk/notices/test": "sends a mail and stores nothing",
  "POST /desk/push/{id}/test": "sends a push message and stores nothing",
}

/** The address of the table of routes, or of openapi.yaml, that a change sends its request to. */
export async function addressOf(desk: FaultyDesk, change: Change): Promise<string | undefined> {
  const { method, path } = await change(desk, await desk.signIn(`Person ${randomUUID()}`, ["all"]))
  const [target = ""] = path.split("?", 1)
  const addresses = [
    ...Object.keys(desk.routes),
    ...Object.values(operations).map((each) => `${each.method} ${each.path}`),
  ]
  return addresses.find((address) =>
    new RegExp(`^${address.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(`${method} ${target}`),
  )
}

/** Questions that the desk's watcher has read: many at once, because the watcher lists Work every few seconds. */
const watched = new WeakMap<FaultyDesk, Item[]>()
const WATCHED_AT_ONCE = 20

async function watchedQuestion(desk: FaultyDesk, person: PersonHeaders): Promise<Item> {
  const items = watched.get(desk) ?? []
  watched.set(desk, items)
  if (items.length === 0) {
    for (let count = 0; count < WATCHED_AT_ONCE; count++) items.push(await desk.service.newQuestion())
    const found = () => Promise.all(items.map((item) => entryOf(desk, person, item)))
    await expect.poll(found).not.toContain(undefined)
  }
  return items.pop() ?? expect.unreachable()
}

async function entryOf(desk: FaultyDesk, person: PersonHeaders, { work, item }: Item): Promise<unknown> {
  const { attention }: { attention: { work: { id: string }; item: { id: string } }[] } = JSON.parse(
    (await readAs(desk, person, "/desk/waiting")).text,
  )
  return attention.find((entry) => entry.work.id === work && entry.item.id === item)
}

/** Sends a change under an Idempotency-Key. The trace marks the calls that it causes. */
export function request(
  desk: FaultyDesk,
  person: PersonHeaders,
  { method, path, body, form, ifMatch }: Tried,
  key: string,
): Promise<Reply> {
  const headers = {
    ...person,
    "Idempotency-Key": key,
    traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
    ...(body && { "Content-Type": "application/json" }),
    ...(form !== undefined && { "Content-Type": "application/x-www-form-urlencoded" }),
    ...(ifMatch !== undefined && { "If-Match": ifMatch }),
  }
  const content = form ?? (body && JSON.stringify(body))
  return send(desk.url, path, { method, headers, ...(content !== undefined && { body: content }) })
}

type Entry = { readonly outcome: string; readonly operation: string }

/** Reads the entries of the record about a person's requests of an operation. */
export async function entriesOf(desk: FaultyDesk, person: PersonHeaders, operation: string): Promise<readonly Entry[]> {
  const { text } = await readAs(desk, person, `/desk/record?person=${person["Desk-Person"]}&operation=${operation}`)
  return JSON.parse(text).data
}
