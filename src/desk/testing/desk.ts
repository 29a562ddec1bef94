/** The desk of the desk's tests, before an upstream (`upstreams.ts`), and clients that send exact bytes. */
import { request as httpRequest, type IncomingMessage } from "node:http"
import { connect } from "node:net"
import { expect, onTestFinished } from "vitest"
import { DeskRecord } from "../record/desk-record.ts"
import { openDatabase } from "../store/open-store.ts"
import { folderForTest } from "../store/testing/stores.ts"
import { openLog } from "../../platform/log.ts"
import { RereadFiles } from "../../platform/reread-files.ts"
import { readTrustedProxies } from "../../platform/http/client-address.ts"
import type { DeskConfiguration } from "../http/desk-configuration.ts"
import { localPeople } from "../people/open-people.ts"
import { startDeskServer, type DeskServerOptions, type RunningDeskServer } from "../desk.ts"
import { fixedToken, type Token } from "../proxy/token.ts"
import { TIMEOUTS } from "../proxy/upstream.ts"
import { portOf } from "./upstreams.ts"

/** A token that no other text contains by chance. */
export const CANARY = "canary-7f3a9c51e0b84d26.Zq~x"

/** A person's comment or answer that no other text contains by chance. */
export const WRITTEN = "written-by-a-person-51d0"

export type TestProxy = RunningDeskServer & { readonly logged: string[]; readonly port: number }
export type TestProxyOptions = Partial<Omit<DeskServerOptions, "configuration" | "upstream">> & {
  readonly token?: Token
  readonly configuration?: Partial<DeskConfiguration>
}

/** A proxy on a free port before `upstreamUrl`, with the canary as its token. */
export async function startTestProxy(upstreamUrl: string, options: TestProxyOptions = {}): Promise<TestProxy> {
  const logged: string[] = []
  const proxy = await startDeskServer({
    colleagues: [],
    people: localPeople(),
    ...(await openStore()),
    version: "0.0.0",
    files: new RereadFiles(),
    distFolder: "there-is-no-such-folder",
    log: openLog("debug", { write: (line) => void logged.push(line.trimEnd()) }),
    ...options,
    configuration: {
      host: "127.0.0.1",
      port: 0,
      allowedHosts: ["localhost", "127.0.0.1", "[::1]"],
      trustedProxies: readTrustedProxies(undefined),
      knownDestinationsDays: undefined,
      ...options.configuration,
    },
    upstream: { baseUrl: upstreamUrl, token: options.token ?? fixedToken(CANARY), name: "upstream.test" },
    timeouts: options.timeouts ?? TIMEOUTS,
  })
  onTestFinished(async () => {
    await proxy.stop()
    checkLog(logged)
  })
  return { ...proxy, logged, port: portOf(proxy.server) }
}

/** The causes that docs/operating.md names. */
const CAUSES = ["refused", "timeout", "certificate", "dns", "cut", "not_the_operation", "fault"]

/** Checks the log of a test: each 5xx has a cause, and no line has the token or a text of a person. */
export function checkLog(logged: readonly string[]): void {
  for (const text of logged) {
    const line: { status?: number; cause?: string } = JSON.parse(text)
    if ((line.status ?? 0) >= 500) expect(CAUSES, text).toContain(line.cause)
    for (const secret of [CANARY, WRITTEN]) expect(text).not.toContain(secret)
  }
}

/** Opens a store with the record of local mode: a new one, or the PostgreSQL at an address. */
export async function openStore(databaseUrl?: string): Promise<Pick<DeskServerOptions, "database" | "record">> {
  const database = await openDatabase({ dataFolder: await folderForTest(), databaseUrl })
  const record = new DeskRecord({
    database,
    mode: "local",
    access: () => localPeople().access(),
    onStored: () => undefined,
    onFailed: () => undefined,
    onHead: () => undefined,
  })
  onTestFinished(async () => {
    await record.stop()
    await database.close()
  })
  return { database, record }
}

export type Reply = {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly text: string
}
type Sending = { method?: string; headers?: Record<string, string | string[]>; body?: string | Buffer }

/** Sends a request with node:http, which does not change the path. Rejects when the answer breaks off. */
export function send(url: string, path: string, { method = "GET", headers = {}, body }: Sending = {}): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const { hostname, port } = new URL(url)
  const request = httpRequest({ hostname, port, path, method, headers, agent: false }, (response) => {
    const chunks: Buffer[] = []
    response.on("data", (chunk: Buffer) => chunks.push(chunk))
    response.on("error", reject)
    response.on("end", () => {
      const whole = Buffer.concat(chunks)
      const { statusCode: status = 0, headers, rawHeaders } = response
      resolve({ status, headers, rawHeaders, body: whole, text: whole.toString() })
    })
  })
  request.on("error", reject)
  request.end(body)
  return promise
}

/** Sends bytes unchanged. Returns all bytes that come back until the other side closes. */
export function sendRaw(port: number, bytes: string | Buffer): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
  let received = ""
  socket.on("data", (chunk) => (received += chunk.toString("latin1")))
  socket.on("error", () => undefined)
  socket.on("close", () => resolve(received))
  return promise
}

export const problemOf = (
  reply: Reply,
): { code: string; status: number; request_id: string; [member: string]: unknown } => JSON.parse(reply.text)

/** The headers that a mutation needs to pass the guards. */
export const MUTATION = { "Idempotency-Key": "key-1", "Content-Type": "application/json" }
