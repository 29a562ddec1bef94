import { once } from "node:events"
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"

/** What the relay does with a request that matches a rule. */
export type Fault =
  /** The service executes the request, and the connection is cut before the answer, which is lost. */
  | { readonly kind: "lose-answer" }
  /** The connection is cut, and the service never receives the request. */
  | { readonly kind: "cut" }
  /** The service executes the request; its answer is held until `release` is called. */
  | { readonly kind: "hold" }
  /** The relay answers; the service never receives the request. */
  | {
      readonly kind: "refuse"
      readonly status: number
      readonly code: string
      readonly headers?: Record<string, string>
    }

/** A request that came from the desk, and what was answered. */
export type Passed = {
  /** When it had arrived, on the clock of `performance.now()`. */
  readonly at: number
  readonly method: string
  readonly path: string
  readonly key: string | undefined
  readonly ifMatch: string | undefined
  readonly body: string
  status: number | undefined
  answer: string
}

/** A proxy between the desk and the service, which fails as a test asks. */
export type Relay = {
  readonly url: string
  /** Every request so far, in order. */
  readonly passed: Passed[]
  /** The mutations among them. */
  mutations(): Passed[]
  /** Applies `fault` to the next `times` requests of `method` whose path matches. */
  fail(method: "GET" | "POST", path: RegExp, fault: Fault, times?: number): void
  /** Removes all faults. */
  heal(): void
  /** Sends the held answers. */
  release(): void
  /** Cuts every open connection at once, as if the service had died. */
  cutAll(): void
  stop(): Promise<void>
}

type Rule = { readonly method: string; readonly path: RegExp; readonly fault: Fault; left: number }

const KEEP_ALIVE_MS = 600_000

/** Starts a relay on loopback in front of the service at `serviceUrl`. */
export async function startRelay(serviceUrl: string): Promise<Relay> {
  const passed: Passed[] = []
  let rules: Rule[] = []
  let held: (() => void)[] = []

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await buffer(incoming)
    const path = incoming.url ?? ""
    const record: Passed = {
      at: performance.now(),
      method: incoming.method ?? "",
      path,
      key: header(incoming, "idempotency-key"),
      ifMatch: header(incoming, "if-match"),
      body: body.toString(),
      status: undefined,
      answer: "",
    }
    passed.push(record)
    const rule = rules.find((each) => each.left > 0 && each.method === record.method && each.path.test(path))
    if (rule !== undefined) rule.left -= 1
    const fault = rule?.fault
    if (fault?.kind === "cut") return incoming.socket.destroy()
    if (fault?.kind === "refuse") {
      record.status = fault.status
      record.answer = problem(fault.status, fault.code)
      outgoing.writeHead(fault.status, { "content-type": "application/problem+json", ...fault.headers })
      return outgoing.end(record.answer)
    }
    const up = forward(new URL(path, serviceUrl), { method: record.method, headers: incoming.headers })
    up.on("error", () => incoming.socket.destroy())
    up.end(body)
    outgoing.on("close", () => up.destroy())
    const [response] = (await once(up, "response")) as [IncomingMessage]
    record.status = response.statusCode
    if (response.headers["content-type"]?.startsWith("text/event-stream")) {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      outgoing.flushHeaders()
      response.on("error", () => outgoing.destroy())
      return response.pipe(outgoing)
    }
    const content = await buffer(response)
    record.answer = content.toString()
    if (fault?.kind === "lose-answer") return incoming.socket.destroy()
    const reply = () => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      outgoing.end(content)
    }
    if (fault?.kind === "hold") held.push(reply)
    else reply()
    return undefined
  }

  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => incoming.socket.destroy())
  })
  // A busy test process would close an idle connection while a request arrives on it.
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    passed,
    mutations: () => passed.filter(({ method }) => method === "POST"),
    fail: (method, path, fault, times = Infinity) => {
      rules.push({ method, path, fault, left: times })
    },
    heal: () => {
      rules = []
    },
    release: () => {
      for (const reply of held) reply()
      held = []
    },
    cutAll: () => server.closeAllConnections(),
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

function header(incoming: IncomingMessage, name: string): string | undefined {
  const value = incoming.headers[name]
  return Array.isArray(value) ? value.join() : value
}

function problem(status: number, code: string): string {
  return JSON.stringify({
    type: "about:blank",
    title: `Refused with ${String(status)}`,
    status,
    detail: `The relay refused this as ${code}.`,
    instance: "/relay",
    code,
    request_id: `req_relay_${String(status)}`,
    retryable: status === 429 || status === 503,
  })
}
