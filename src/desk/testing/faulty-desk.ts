/** A desk whose calls to the store or the service fail when a test wants it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { onTestFinished } from "vitest"
import { readTrustedProxies } from "../../platform/http/client-address.ts"
import { readLimits } from "../http/desk-configuration.ts"
import { fixedToken } from "../proxy/token.ts"
import { TIMEOUTS } from "../proxy/upstream.ts"
import { type Database, type Statements, StoreUnavailableError } from "../store/database.ts"
import { HostileProvider } from "../people/testing/hostile-provider.ts"
import { MailServerForTest } from "../notices/testing/mail-server.ts"
import type { Effect } from "./audit.ts"
import { send } from "./desk.ts"
import { mailTo } from "./notices.ts"
import { pushForTest } from "./push.ts"
import { portOf } from "./upstreams.ts"
import { startSignInProxy } from "./sign-in.ts"

/**
 * How a call fails. `refused`: no connection. `cut`: the connection breaks before the call has an effect. `lost`: the connection breaks after the
 * effect. `slow`: the call has its effect, but the answer does not come in time. `half`: the answer's body is cut off. `failed`: the service answers
 * 503.
 */
export type Fault =
  | { readonly of: "upstream"; readonly how: "refused" | "cut" | "lost" | "slow" | "half" | "failed" }
  | { readonly of: "store"; readonly how: "cut" | "lost" }
export type FaultyCall = Fault & { readonly call: number }

export const FAULTS: readonly Fault[] = [
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
export type Item = { readonly work: string; readonly item: string }

/** The id of a W3C trace, which marks the calls of the tested request. */
export const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"

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

/** Starts a desk with sign-in, whose calls to `service` and `database` can be made to fail. */
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
