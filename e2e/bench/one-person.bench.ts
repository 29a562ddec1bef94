/**
 * How much one person can slow down the others: `node e2e/bench/one-person.bench.ts [seconds a measurement]`. One person keeps sending 100 requests of
 * every kind in parallel, under the default limits of a person, while another person declines one approval after the other and an overseer freezes a
 * colleague. With SQLite and with PostgreSQL.
 */
import { randomUUID } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Sessions } from "../../src/desk/people/sessions.ts"
import { openDatabase } from "../../src/desk/store/open-store.ts"
import { PostgresServer } from "../../src/desk/store/testing/postgres.ts"
import { startProgram } from "../program.ts"
import { fillStore } from "./fill-store.ts"
import { median, percentile, secondsAsked } from "./load/figures.ts"

const PARALLEL = 100
const WORKS = 200
/** Between two declines, and between two freezes. */
const PAUSE_MS = 100
const ISSUER = "http://127.0.0.1:1"
const PUBLIC_URL = "http://127.0.0.1:9"
const COOKIE = "workdesk-9"

type Person = Readonly<Record<"Cookie" | "Desk-Person", string>>
type Asked = { readonly method: string; readonly path: string; readonly headers?: object; readonly body?: object }
type Timed = { readonly status: number; readonly ms: number }

const agent = new Agent({ keepAlive: true })

/** Sends a request and reads its answer to the end, a stream for a second. */
async function ask(url: string, person: Person, { method, path, headers, body }: Asked): Promise<Timed> {
  const began = performance.now()
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const json = body === undefined ? {} : { "Content-Type": "application/json" }
  const sent = request(url + path, { method, agent, headers: { ...person, ...json, ...headers } }, (response) => {
    const leave = setTimeout(() => response.destroy(), 1_000)
    response.resume().on("error", () => undefined)
    response.on("close", () => {
      clearTimeout(leave)
      resolve(response.statusCode ?? 0)
    })
  })
  sent.on("error", reject)
  sent.end(body && JSON.stringify(body))
  return { status: await promise, ms: performance.now() - began }
}

const key = () => ({ "Idempotency-Key": randomUUID() })
const item = (index: number) => ({ work: `work_${index % WORKS}`, item: `approval_${index % WORKS}` })
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const notices = { mail: "off", urgent_at_once: true, quiet_from: null, quiet_until: null, time_zone: "UTC" }

/** One request of each kind. `index` differs from request to request. */
const KINDS: readonly ((index: number) => Asked)[] = [
  () => ({ method: "GET", path: "/api/v1/work?limit=100" }),
  (index) => ({ method: "GET", path: `/api/v1/work/work_${index % WORKS}` }),
  (index) => ({ method: "GET", path: `/api/v1/work/work_${index % WORKS}/approvals` }),
  (index) => ({ method: "GET", path: `/api/v1/work/work_${index % WORKS}/events?after=0` }),
  () => ({ method: "GET", path: "/desk/waiting" }),
  () => ({ method: "GET", path: "/desk/work" }),
  () => ({ method: "GET", path: "/desk/record" }),
  () => ({ method: "GET", path: "/desk/record", headers: { Accept: "application/jsonl" } }),
  () => ({ method: "GET", path: "/desk/session" }),
  (index) => ({ method: "POST", path: "/desk/presence", body: { ...item(index), tab: "1", doing: "reading" } }),
  (index) => ({ method: "PUT", path: "/desk/aside", body: { ...item(index), version: "1", until: inAnHour() } }),
  (index) => ({
    method: "PUT",
    path: "/desk/assignment",
    headers: { "If-Match": '"none"' },
    body: { ...item(index), to: null },
  }),
  () => ({ method: "PUT", path: "/desk/views", headers: { "If-Match": '"0"' }, body: { views: [] } }),
  () => ({ method: "PUT", path: "/desk/notices", headers: { "If-Match": '"0"' }, body: notices }),
  () => ({ method: "PUT", path: "/desk/away", headers: { "If-Match": '"none"', "Content-Type": "application/json" } }),
  () => ({
    method: "POST",
    path: "/api/v1/work",
    headers: key(),
    body: { colleague_id: "metronome", title: "Benchmark", objective: "x" },
  }),
  () => ({
    method: "POST",
    path: "/api/v1/uploads",
    headers: key(),
    body: { name: "a.txt", media_type: "text/plain", content: "x" },
  }),
  (index) => decide(index, "approve"),
]

function decide(index: number, decision: "approve" | "decline"): Asked {
  const path = `/api/v1/work/work_${index}/approvals/approval_${index}/resolve`
  return { method: "POST", path, headers: { ...key(), "If-Match": '"1"' }, body: { decision } }
}

const freeze: Asked = { method: "PUT", path: "/desk/freeze", body: { colleague: "nobody", reason: "benchmark" } }

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS))

/** Waits until the desk has read all Work. */
async function waitUntilWatched(url: string, person: Person): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/desk/waiting`, { headers: { ...person } })
    if (/"complete":true/.test(await answer.text())) return
    await pause()
  }
}

/** Sends one request after the other until `isRunning` returns false. */
async function repeat(send: (index: number) => Promise<Timed>, isRunning: () => boolean, first = 0): Promise<Timed[]> {
  const answers: Timed[] = []
  for (let index = first; isRunning(); index++) {
    answers.push(await send(index))
    await pause()
  }
  return answers
}

async function measure(databaseUrl: string | undefined, forMs: number): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), "workdesk-bench-"))
  const database = await openDatabase({ dataFolder: folder, databaseUrl })
  const sessions = new Sessions(database, { issuer: ISSUER, idleMs: 3_600_000, maxMs: 3_600_000 }, () => true)
  const signIn = async (name: string, groups: readonly string[]): Promise<Person> => {
    const identity = { issuer: ISSUER, subject: name, groups }
    const { value, personId } = await sessions.begin({ name, identity, sid: undefined, authTime: undefined }, [])
    return { Cookie: `${COOKIE}=${value}`, "Desk-Person": personId }
  }
  const [greedy, ben, dora] = [await signIn("ada", []), await signIn("ben", []), await signIn("dora", ["audit"])]
  sessions.stop()
  await database.close()

  const service = join(folder, "service.json")
  await writeFile(service, JSON.stringify({ limits: { activeWork: 1e6, writePerMinute: 1e6, readPerMinute: 1e4 } }))
  const access = join(folder, "access.json")
  const everybody = ["anyone"]
  const roles = { reader: everybody, answerer: everybody, delegator: everybody, approver: everybody }
  await writeFile(access, JSON.stringify({ roles, visibility: { overseers: ["group:audit"] } }))
  const stopped = { status: "paused", execution_limit_ms: 1_000, executed_ms: 1_000 }
  const work = { account: "sa_demo", owner: "owner_demo", colleague_id: "metronome", ...stopped }
  fillStore(join(folder, "service"), WORKS, { work, hasApproval: true })
  const desk = await startProgram("src/server.ts", {
    PORT: "0",
    DATA_DIR: folder,
    SERVICE_CONFIG: service,
    OIDC_ISSUER: ISSUER,
    OIDC_CLIENT_ID: "bench",
    PUBLIC_URL,
    ALLOWED_HOSTS: "127.0.0.1",
    ACCESS_FILE: access,
    LOG_LEVEL: "error",
    // A quarter of the service's default quota. This service's own quota is far higher, so that it limits nobody.
    PERSON_REQUESTS_PER_MINUTE: "150",
    ...(databaseUrl !== undefined && { DESK_DATABASE_URL: databaseUrl }),
  })
  try {
    const decline = (index: number) => ask(desk.url, ben, decide(index, "decline"))
    const during = () => {
      const end = performance.now() + forMs
      return () => performance.now() < end
    }
    await waitUntilWatched(desk.url, dora)
    const quiet = await repeat(decline, during())
    const isRunning = during()
    const [declines, freezes, ...flood] = await Promise.all([
      repeat(decline, isRunning, quiet.length),
      repeat(() => ask(desk.url, dora, freeze), isRunning),
      ...Array.from({ length: PARALLEL }, async (_, client) => {
        const statuses: number[] = []
        for (let turn = 0; isRunning(); turn++) {
          const kind = KINDS[(client + turn) % KINDS.length]
          if (kind !== undefined) statuses.push((await ask(desk.url, greedy, kind(client * 31 + turn))).status)
        }
        return statuses
      }),
    ])
    const sent = flood.flat()
    return {
      "requests of the one person": String(sent.length),
      "of them 429": String(sent.filter((status) => status === 429).length),
      "decline alone, median": formatMs(median(quiet.map(({ ms }) => ms))),
      "decline among the requests, median": formatMs(median(declines.map(({ ms }) => ms))),
      "decline among the requests, 99 of 100": formatMs(
        percentile(
          declines.map(({ ms }) => ms),
          0.99,
        ),
      ),
      "declines, statuses": formatStatuses(declines),
      "freezes, statuses": formatStatuses(freezes),
    }
  } finally {
    await desk.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const formatMs = (ms: number) => `${ms.toFixed(1)} ms`

function formatStatuses(answers: readonly Timed[]): string {
  const counts = Map.groupBy(answers, ({ status }) => status)
  return [...counts].map(([status, all]) => `${status}: ${all.length}`).join(", ")
}

const forMs = secondsAsked() * 1_000
const postgres = await PostgresServer.start()
try {
  console.log(`\n${PARALLEL} requests in parallel of one person, for ${forMs / 1_000} s`)
  console.table({
    SQLite: await measure(undefined, forMs),
    PostgreSQL: await measure(await postgres.newDatabase(), forMs),
  })
} finally {
  agent.destroy()
  await postgres.stop()
}
