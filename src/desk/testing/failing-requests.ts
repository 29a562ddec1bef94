/** Requests that change something, while one call to the store or the service fails: first the first call, then the second, up to the last. */
import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { expect, onTestFinished } from "vitest"
import { operations } from "../../contract/operations.ts"
import { isProblem } from "../../contract/problem.ts"
import { readTrustedProxies } from "../../platform/http/client-address.ts"
import { readLimits } from "../http/desk-configuration.ts"
import { fixedToken } from "../proxy/token.ts"
import { TIMEOUTS } from "../proxy/upstream.ts"
import { type Database, type Statements, StoreUnavailableError } from "../store/database.ts"
import { type Effect, faultsOfRun } from "./audit.ts"
import { send, type Reply } from "./desk.ts"
import { HostileProvider } from "../people/testing/hostile-provider.ts"
import { MailServerForTest } from "../notices/testing/mail-server.ts"
import { newBrowserKeys } from "../notices/channels/push-receiver.ts"
import { makeToken, readTokenKey } from "../notices/unsubscribe.ts"
import { mailTo } from "./notices.ts"
import { pushForTest } from "./push.ts"
import { portOf } from "./upstreams.ts"
import { startSignInProxy, type PersonHeaders } from "./sign-in.ts"

/**
 * How a call fails. `refused`: no connection. `cut`: the connection breaks before the call has an effect. `lost`: the connection breaks after the
 * effect. `slow`: the call has its effect, but the answer does not come in time. `half`: the answer's body is cut off. `failed`: the service answers
 * 503.
 */
export type Fault =
  | { readonly of: "upstream"; readonly how: "refused" | "cut" | "lost" | "slow" | "half" | "failed" }
  | { readonly of: "store"; readonly how: "cut" | "lost" }
type FaultyCall = Fault & { readonly call: number }

const FAULTS: readonly Fault[] = [
  ...(["refused", "cut", "lost", "slow", "half", "failed"] as const).map((how) => ({ of: "upstream" as const, how })),
  ...(["cut", "lost"] as const).map((how) => ({ of: "store" as const, how })),
]

/** A real service, whose items a test makes. */
export type ServiceWithItems = {
  readonly url: string
  readonly token: string
  /** Makes Work that asks a question, and Work with a letter. */
  readonly newQuestion: () => Promise<Item>
  readonly newLetter: () => Promise<Item>
}

/** What a desk has beside the usual: rules by which every approval needs two approves, or mail and push. */
export type DeskOptions = { readonly isSeveral?: boolean; readonly hasNotices?: boolean }
type Item = { readonly work: string; readonly item: string }

/** The id of a W3C trace, which marks the calls of the tested request. */
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"

/** A proxy between the desk and the service that makes one call fail. */
async function startFaultyFront(serviceUrl: string) {
  const control: { fault: FaultyCall | undefined; calls: number; isMet: boolean } = {
    fault: undefined,
    calls: 0,
    isMet: false,
  }
  /** What the service did with the mutations of a key. */
  const heard = new Map<string, { requests: number; effects: number }>()
  const effects: Effect[] = []
  const hanging = new Set<ServerResponse>()

  async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readAll(request)
    const isTried = String(request.headers["traceparent"]).includes(TRACE)
    const call = isTried ? ++control.calls : 0
    const { fault } = control
    const isMet = isTried && fault?.of === "upstream" && call === fault.call
    const how = isMet ? fault.how : undefined
    if (how === "cut") return meet(() => request.socket.destroy())
    if (how === "failed") return meet(() => answerFailed(response))
    const answer = await ask(request, body)
    if (how === "lost") return meet(() => request.socket.destroy())
    if (how === "slow") return meet(() => void hanging.add(response))
    const nextIsRefused = fault?.of === "upstream" && fault.how === "refused" && isTried && call === fault.call - 1
    const head = {
      ...answer.headers,
      "content-length": String(answer.body.length),
      ...(nextIsRefused && { connection: "close" }),
    }
    if (nextIsRefused) await stopListening()
    response.writeHead(answer.status, head)
    if (how !== "half") return void response.end(answer.body)
    response.write(answer.body.subarray(0, answer.body.length / 2))
    return meet(() => void setImmediate(() => request.socket.destroy()))
  }

  function meet(fail: () => void): void {
    control.isMet = true
    fail()
  }

  async function ask(request: IncomingMessage, body: Buffer) {
    const { method = "", url = "", headers } = request
    const names = Object.entries(headers).filter(([name]) => !["host", "connection", "content-length"].includes(name))
    const sent = Object.fromEntries(names.map(([name, value]) => [name, String(value)]))
    const reply = await send(serviceUrl, url, { method, headers: sent, ...(method !== "GET" && { body }) })
    const key = headers["idempotency-key"]
    if (typeof key === "string") {
      const known = heard.get(key) ?? { requests: 0, effects: 0 }
      const isEffect = reply.status < 300 && reply.headers["idempotent-replayed"] !== "true"
      heard.set(key, { requests: known.requests + 1, effects: known.effects + (isEffect ? 1 : 0) })
      const [, work, item] = /^\/api\/v1\/work\/([^/]+)\/\w+\/([^/]+)\/resolve$/.exec(url) ?? []
      if (isEffect) effects.push({ key, work, item })
    }
    const passed = Object.entries(reply.headers).filter(
      ([name]) => !["connection", "keep-alive", "transfer-encoding"].includes(name),
    )
    return { status: reply.status, headers: Object.fromEntries(passed), body: reply.body }
  }

  const server = createServer((request, response) => void relay(request, response).catch(() => response.destroy()))
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  await listen(0)
  const port = portOf(server)
  async function stopListening(): Promise<void> {
    control.isMet = true
    server.close()
    server.closeIdleConnections()
  }
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${port}`,
    control,
    effects,
    heardOf: (key: string) => heard.get(key) ?? { requests: 0, effects: 0 },
    async arm(fault: FaultyCall | undefined) {
      Object.assign(control, { fault, calls: 0, isMet: false })
      if (fault?.of !== "upstream" || fault.how !== "refused" || fault.call !== 1) return
      await stopListening()
      server.closeAllConnections()
    },
    async disarm() {
      control.fault = undefined
      for (const response of hanging) response.destroy()
      hanging.clear()
      if (!server.listening) await listen(port)
    },
  }
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

function answerFailed(response: ServerResponse): void {
  const problem = {
    type: "about:blank",
    title: "Away",
    status: 503,
    detail: "away",
    instance: "urn:x",
    code: "AWAY",
    request_id: "r",
    retryable: true,
  }
  response.writeHead(503, { "Content-Type": "application/problem+json" })
  response.end(JSON.stringify(problem))
}

/** A store that fails at one of its calls. */
function faultyStore(database: Database) {
  const control: { fault: FaultyCall | undefined; calls: number; isMet: boolean } = {
    fault: undefined,
    calls: 0,
    isMet: false,
  }
  async function run<Result>(work: () => Promise<Result>): Promise<Result> {
    const { fault } = control
    const isMet = ++control.calls === fault?.call && fault.of === "store"
    control.isMet ||= isMet
    const away = () => new StoreUnavailableError("the test fails this call", "cut")
    if (isMet && fault.how === "cut") throw away()
    const result = await work()
    if (isMet) throw away()
    return result
  }
  const statements = ({ read, write }: Statements): Statements => ({
    read: (sql, ...values) => run(() => read(sql, ...values)),
    write: (sql, ...values) => run(() => write(sql, ...values)),
  })
  const store: Database = {
    ...database,
    ...statements(database),
    isShared: database.isShared,
    publish: (topic, message) => database.publish(topic, message),
    subscribe: (topic, take) => database.subscribe(topic, take),
    transaction: (lock, work) => run(() => database.transaction(lock, (inner) => work(statements(inner)))),
    close: () => database.close(),
  }
  const arm = (fault: FaultyCall | undefined) => Object.assign(control, { fault, calls: 0, isMet: false })
  return { store, control, arm }
}

const ACCESS = {
  roles: Object.fromEntries(["reader", "answerer", "delegator", "approver"].map((role) => [role, ["group:all"]])),
  visibility: { overseers: ["group:all"], teams: [{ name: "Finance", members: ["group:all"] }] },
}
const TWO = { rules: [{ destination: "*", approvalsNeeded: 2 }] }

export async function startFaultyDesk(
  service: ServiceWithItems,
  database: Database,
  { isSeveral = false, hasNotices = false }: DeskOptions = {},
) {
  const front = await startFaultyFront(service.url)
  const faulty = faultyStore(database)
  const provider = await HostileProvider.start()
  const desk = await startSignInProxy(front.url, {
    people: { issuer: provider.issuer, access: { ...ACCESS, ...(isSeveral && TWO) }, database: faulty.store },
    token: fixedToken(service.token),
    ...(hasNotices && { notices: [mailTo((await MailServerForTest.start()).port), (await pushForTest()).channel] }),
    limits: { ...readLimits({}), personRequestsPerMinute: 1e9, clientRequestsPerMinute: 1e9 },
    timeouts: { ...TIMEOUTS, headers: 1_000, json: 1_500 },
    configuration: { trustedProxies: readTrustedProxies("127.0.0.1") },
  })
  return { ...desk, service, front, faulty, provider, plain: database }
}
export type FaultyDesk = Awaited<ReturnType<typeof startFaultyDesk>>

/** A request that changes something. Everything that it needs has been created. */
type Tried = {
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

const read = async (desk: FaultyDesk, person: PersonHeaders, path: string): Promise<Reply> => {
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
    const state = async () => (await read(desk, person, `/api/v1/uploads/${id}`)).text
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
  await read(desk, person, "/desk/seen")
  const created = await request(desk, person, await MUTATIONS.createWork(), randomUUID())
  const { id }: { id: string } = JSON.parse(created.text)
  const isNew = async () => (await read(desk, person, "/desk/seen")).text.includes(id)
  await expect.poll(isNew).toBe(true)
  return { work: id, isDone: async () => !(await isNew()) }
}

const isSignedIn = async (desk: FaultyDesk, person: PersonHeaders) =>
  (await read(desk, person, "/desk/session")).text.includes(person["Desk-Person"])

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
    const isDone = async () => (await read(desk, person, "/desk/away")).text !== "null"
    return { method: "PUT", path: "/desk/away", body: absence(), ifMatch: '"none"', operation: "setAway", isDone }
  },
  seen: async (desk, person) => {
    const { work, isDone } = await newToDelegator(desk, person)
    const { version }: { version: number } = JSON.parse((await read(desk, person, `/api/v1/work/${work}`)).text)
    return { method: "POST", path: "/desk/seen", body: { work, version: String(version) }, isDone }
  },
  allSeen: async (desk, person) => {
    const { isDone } = await newToDelegator(desk, person)
    const { etag } = (await read(desk, person, "/desk/seen")).headers
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
    const { name }: { name: string } = JSON.parse((await read(desk, person, "/desk/session")).text).person
    const form = `logout_token=${await desk.provider.logoutToken({ sub: name })}`
    const isDone = async () => !(await isSignedIn(desk, person))
    return { method: "POST", path: "/desk/sign-out/back", form, isDone, again: [200, 400] }
  },
  views: async (desk, person) => {
    const { etag = "" } = (await read(desk, person, "/desk/views")).headers
    const isDone = async () => (await read(desk, person, "/desk/views")).text.includes("Mine")
    const body = { views: [{ name: "Mine", query: "status=done" }] }
    return { method: "PUT", path: "/desk/views", body, ifMatch: etag, isDone }
  },
  freeze: async (desk, person) => {
    const colleague = `clerk-${randomUUID()}`
    const isDone = async () => (await read(desk, person, "/desk/freeze")).text.includes(colleague)
    return { method: "PUT", path: "/desk/freeze", body: { colleague, reason: "wild" }, operation: "freeze", isDone }
  },
  unfreeze: async (desk, person) => {
    const colleague = `clerk-${randomUUID()}`
    const begin: Tried = { method: "PUT", path: "/desk/freeze", body: { colleague, reason: "wild" } }
    expect((await request(desk, person, begin, randomUUID())).status).toBe(200)
    const isDone = async () => !(await read(desk, person, "/desk/freeze")).text.includes(colleague)
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
  const isKept = async () => (await read(desk, person, "/desk/push")).text.includes(label)
  const isPushed = async () => (await read(desk, person, "/desk/notices")).text.includes('"push":true')
  return { tried, isKept, isPushed }
}

/** Changes of what a person is notified of. */
export const OF_NOTICES = {
  choice: async (desk, person) => {
    const isDone = async () => (await read(desk, person, "/desk/notices")).text.includes("22:00")
    return { method: "PUT", path: "/desk/notices", body: CHOICE, ifMatch: '"0"', isDone }
  },
  unsubscribe: async (desk, person) => {
    const token = makeToken(await readTokenKey(desk.plain), person["Desk-Person"], Date.now())
    const isDone = async () => (await read(desk, person, "/desk/notices")).text.includes('"mail":"off"')
    return { method: "POST", path: `/desk/notices/unsubscribe?token=${token}`, isDone }
  },
  device: async (desk, person) => {
    const { tried, isKept, isPushed } = await device(desk, person)
    return { ...tried, isDone: async () => (await isKept()) && (await isPushed()) }
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
    (await read(desk, person, "/desk/waiting")).text,
  )
  return attention.find((entry) => entry.work.id === work && entry.item.id === item)
}

function request(
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

async function entriesOf(desk: FaultyDesk, person: PersonHeaders, operation: string): Promise<readonly Entry[]> {
  const { text } = await read(desk, person, `/desk/record?person=${person["Desk-Person"]}&operation=${operation}`)
  return JSON.parse(text).data
}

const CALLS_MAX = 60

/** Tries a change while the first call fails, then the second, and so on, until a run has no such call. @returns how many calls failed */
export async function failEachCall(desk: FaultyDesk, change: Change, fault: Fault): Promise<number> {
  for (let call = 1; call <= CALLS_MAX; call++) {
    if (!(await failOneCall(desk, change, { ...fault, call }))) return call - 1
  }
  throw new Error("the calls do not end")
}

/** Tries a change while one call fails. @returns whether the call was made */
export async function failOneCall(desk: FaultyDesk, change: Change, fault: FaultyCall): Promise<boolean> {
  const person = await desk.signIn(`Person ${randomUUID()}`, ["all"])
  const tried = await change(desk, person)
  const key = randomUUID()
  const where = `${tried.method} ${tried.path}, ${fault.how} at call ${fault.call} of the ${fault.of}`
  await desk.front.arm(fault)
  desk.faulty.arm(fault)
  const reply = await request(desk, person, tried, key)
  const isMet = fault.of === "store" ? desk.faulty.control.isMet : desk.front.control.isMet
  desk.faulty.arm(undefined)
  await desk.front.disarm()
  checkAnswer(reply, where)
  await checkState(desk, person, tried, key, reply, where)

  const again = await request(desk, person, tried, key)
  const allowed = tried.again ?? [200, 201, 202, 204]
  expect(allowed, `${where}, sent again: ${again.text}`).toContain(again.status)
  await checkState(desk, person, tried, key, again, `${where}, sent again`)
  if (tried.isDone === undefined) expect(desk.front.heardOf(key).effects, where).toBe(1)
  if (again.headers["idempotent-replayed"] === "true" && tried.operation !== undefined) {
    const { operation } = tried
    const unknown = async () =>
      (await entriesOf(desk, person, operation)).filter(({ outcome }) => outcome === "unknown")
    await expect.poll(unknown, { message: `${where}: the replay settles what was unknown` }).toEqual([])
  }
  return isMet
}

/** The codes of an answer that is no success: each says what failed, and can be tried again. */
const CODES = [
  ["PROXY_STORE_UNAVAILABLE", "PROXY_RECORD_UNAVAILABLE", "PROXY_UPSTREAM_UNREACHABLE", "PROXY_UPSTREAM_TIMEOUT"],
  ["PROXY_UPSTREAM_INVALID", "AWAY"],
].flat()

function checkAnswer({ status, text }: Reply, where: string): void {
  if (status < 300) return
  const problem: unknown = JSON.parse(text)
  if (!isProblem(problem)) throw new Error(`${where}: ${text}`)
  expect(CODES, `${where}: ${text}`).toContain(problem.code)
  expect(problem.retryable, `${where}: ${text}`).toBe(true)
}

/** Checks that record, service and answer agree, at once or as soon as the desk has tried again. */
async function checkState(
  desk: FaultyDesk,
  person: PersonHeaders,
  tried: Tried,
  key: string,
  reply: Reply,
  where: string,
): Promise<void> {
  const { operation, isDone } = tried
  const isAnswered = reply.status < 300
  if (isDone !== undefined) {
    if (isAnswered) await expect.poll(isDone, { message: `${where}: what is answered is done` }).toBe(true)
    const isRecorded = async () => operation !== undefined && (await entriesOf(desk, person, operation)).length > 0
    const isStored = tried.isStored ?? (operation === undefined ? isDone : isRecorded)
    const agree = async () => (await isStored()) === (await isDone())
    return await expect.poll(agree, { message: `${where}: the desk shows what is stored and recorded` }).toBe(true)
  }
  const { requests, effects } = desk.front.heardOf(key)
  expect(effects, `${where}: at most one effect`).toBeLessThanOrEqual(1)
  if (isAnswered) expect(effects, `${where}: what is answered is done`).toBe(1)
  if (operation === undefined) return
  const outcomes = async () => (await entriesOf(desk, person, operation)).map(({ outcome }) => outcome)
  const known = isAnswered ? ["recorded"] : ["recorded", "unknown"]
  const isKnown = async () => (await outcomes()).some((outcome) => known.includes(outcome))
  if (effects === 1) await expect.poll(isKnown, { message: `${where}: what the service has is recorded` }).toBe(true)
  else expect(await outcomes(), where).not.toContain("recorded")
  if (requests === 0) expect(await outcomes(), where).not.toContain("refused")
}

/** Checks that record, tables and service agree, and that no connection is still in use. */
export async function checkAfterwards(desk: FaultyDesk): Promise<void> {
  expect(await faultsOfRun(desk.plain, desk.front.effects)).toEqual([])
  const connections = () => desk.plain.connections?.() ?? { inUse: 0, waiting: 0 }
  await expect.poll(connections).toEqual({ inUse: 0, waiting: 0 })
}
