import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, afterEach, describe, expect, it, onTestFinished } from "vitest"
import { ConfigurationError } from "./platform/configuration-error.ts"
import { KNOWN_VARIABLES } from "./desk/known-variables.ts"
import { startDesk } from "./server.ts"
import { PostgresServer } from "./desk/store/testing/postgres.ts"
import { CANARY } from "./desk/testing/desk.ts"
import { answerJson, startUpstream } from "./desk/testing/upstreams.ts"

const folder = mkdtempSync(join(tmpdir(), "workdesk-server-"))
const file = join(folder, "a-file")
writeFileSync(file, "not JSON")
writeFileSync(join(folder, "empty"), " \n")
// The line may contain a shorter value by chance.
const SHORT = 6
const SECRET = "canary-token-8f31"
const SERVER = join(import.meta.dirname, "server.ts")
const { PATH, NODE_COMPILE_CACHE } = process.env

const started = new Set<ChildProcess>()
afterEach(() => {
  for (const child of started) child.kill("SIGKILL")
  started.clear()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function start(environment: Record<string, string>, options: readonly string[] = []) {
  const child = spawn(process.execPath, [SERVER, ...options], {
    env: { PATH, NODE_COMPILE_CACHE, PORT: "0", DATA_DIR: join(folder, "data"), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  })
  started.add(child)
  const said = { out: "", error: "" }
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (said.error += chunk.toString()))
  return { child, said, ended: once(child, "close") }
}

const linesOf = (out: string) =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe("a missing or wrong value is refused in one plain line that names the variable", () => {
  const upstream = { WORK_API_URL: "https://work.example/base/" }
  const cases: readonly [variable: string, environment: Record<string, string>][] = [
    ["HOST", { HOST: "0.0.0.0" }],
    ["HOST", { HOST: "192.168.1.4" }],
    ["PORT", { PORT: "abc" }],
    ["PORT", { PORT: "65536" }],
    ["WORK_API_URL", { WORK_API_URL: "work.example", WORK_API_TOKEN: SECRET }],
    ["WORK_API_URL", { WORK_API_URL: "http://work.example", WORK_API_TOKEN: SECRET }],
    ["WORK_API_URL", { WORK_API_URL: "ftp://127.0.0.1", WORK_API_TOKEN: SECRET }],
    ["WORK_API_TOKEN", upstream],
    ["WORK_API_TOKEN", { ...upstream, WORK_API_TOKEN: `${SECRET}\nX-Injected: 1` }],
    ["WORK_API_TOKEN_FILE", { ...upstream, WORK_API_TOKEN_FILE: join(folder, "missing") }],
    ["WORK_API_TOKEN_FILE", { ...upstream, WORK_API_TOKEN_FILE: join(folder, "empty") }],
    ["ALLOWED_HOSTS", { ALLOWED_HOSTS: "https://desk.example/" }],
    ["COLLEAGUES", { COLLEAGUES: "analyst" }],
    ["DATA_DIR", { DATA_DIR: file }],
    ["DATA_DIR", { DATA_DIR: "/proc/workdesk/data" }],
    ["LOG_LEVEL", { LOG_LEVEL: "loud" }],
    ["DRAIN_SECONDS", { DRAIN_SECONDS: "-1" }],
    ["METRICS_PORT", { METRICS_PORT: "http" }],
    ["METRICS_HOST", { METRICS_HOST: "127.0.0.1" }],
    ["PERSON_REQUESTS_PER_MINUTE", { PERSON_REQUESTS_PER_MINUTE: "0" }],
    ["UPSTREAM_STREAMS", { UPSTREAM_STREAMS: "1.5" }],
    ["CLIENT_REQUESTS_PER_MINUTE", { CLIENT_REQUESTS_PER_MINUTE: "0" }],
    ["TRUSTED_PROXIES", { TRUSTED_PROXIES: "" }],
    ["TRUSTED_PROXIES", { TRUSTED_PROXIES: "balancer.example" }],
    ["KNOWN_DESTINATIONS_DAYS", { KNOWN_DESTINATIONS_DAYS: "0" }],
    ["DESK_DATABASE_URL_FILE", { DESK_DATABASE_URL_FILE: join(folder, "missing") }],
    ["DESK_DATABASE_URL", { DESK_DATABASE_URL: "mysql://127.0.0.1/desk" }],
    ["RECORD_KEY_FILE", { RECORD_KEY_FILE: " " }],
    ["RECORD_KEY_FILE", { RECORD_KEY_FILE: join(folder, "empty") }],
    ["RECORD_HEADS_URL", { RECORD_HEADS_URL: "http://heads.example/" }],
    ["RECORD_HEADS_URL", { RECORD_HEADS_URL: "https://user@heads.example/" }],
    ["RECORD_HEADS_SECRET", { RECORD_HEADS_URL: "https://heads.example/" }],
    ["RECORD_HEADS_SECRET", { RECORD_HEADS_URL: "https://heads.example/", RECORD_HEADS_SECRET: "whsec_short" }],
    ["RECORD_HEADS_SECRET", { RECORD_HEADS_SECRET: SECRET }],
    ["OIDC_CLIENT_ID", { OIDC_CLIENT_ID: "desk" }],
    ["ACCESS_FILE", { ACCESS_FILE: file }],
    ["RETENTION_DAYS", { RETENTION_DAYS: "0" }],
    ["RETENTION_DAYS", { ...upstream, WORK_API_TOKEN: SECRET, RETENTION_DAYS: "-1" }],
    ["SERVICE_CONFIG", { SERVICE_CONFIG: file }],
    ["SERVICE_CONFIG", { SERVICE_CONFIG: join(folder, "missing") }],
  ]

  it.each(cases)("%s %j", async (variable, environment) => {
    const lines: string[] = []
    const options = { log: (line: string) => void lines.push(line) }
    const started = startDesk({ PORT: "0", DATA_DIR: join(folder, "data"), ...environment }, options)
    const reason: unknown = await started.catch((error: unknown) => error)
    if (!(reason instanceof ConfigurationError)) throw new Error(`expected a ConfigurationError, got ${String(reason)}`)
    expect(reason.message).toMatch(/^[^\n]+$/)
    expect(reason.message).toContain(variable)
    expect(reason.message).not.toContain(SECRET)
    for (const value of Object.values(environment))
      if (value.length > SHORT) expect(reason.message).not.toContain(value)
    expect(lines).toEqual([])
  })

  it.each(["desk/desk.db", "service/service.db"])("DATA_DIR whose %s a newer version has written", async (path) => {
    const dataFolder = join(folder, path.replace("/", " newer "))
    const desk = await startDesk({ PORT: "0", DATA_DIR: dataFolder }, { log: () => undefined })
    await desk.stop()
    const database = new DatabaseSync(join(dataFolder, path))
    database.exec(path.startsWith("desk") ? "UPDATE schema_version SET version = 99" : "PRAGMA user_version = 99")
    database.close()
    const again = startDesk({ PORT: "0", DATA_DIR: dataFolder }, { log: () => undefined })
    await expect(again).rejects.toThrow(/^DATA_DIR: .*newer version of Workdesk[^\n/]*$/)
  })

  it("as a process: the line stands on the error output, and the exit code is 1", async () => {
    const { said, ended } = start({ HOST: "0.0.0.0" })
    const [code] = await ended
    expect(code).toBe(1)
    expect(said.error).toMatch(/^workdesk: HOST[^\n]+\n$/)
    expect(said.out).toBe("")
  })

  it("PORT that is taken", async () => {
    const holder = createServer().listen(0, "127.0.0.1")
    await once(holder, "listening")
    const address = holder.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const lines: string[] = []
    const log = (line: string) => void lines.push(line)
    const again = startDesk({ PORT: String(port), DATA_DIR: join(folder, "data") }, { log })
    const reason = await again.then(String, (error: Error) => error.message)
    holder.close()
    expect(reason).toMatch(/^[^\n]*PORT[^\n]*$/)
    expect(reason).not.toContain(String(port))
    // What ends with the start is no fault of the record or of anything else.
    expect(lines.filter((line) => !line.includes('"level":"info"'))).toEqual([])
  })
})

it.each([0, 8, 64])("a disk that takes only %i kB ends the start with one plain line", async (kilobytes) => {
  // Linux refuses a write beyond this size, as a full disk would.
  const child = spawn("bash", ["-c", `ulimit -f ${kilobytes}; exec "$0" "$1"`, process.execPath, SERVER], {
    env: { PATH, NODE_COMPILE_CACHE, PORT: "0", DATA_DIR: join(folder, `full-${kilobytes}`) },
    stdio: ["ignore", "pipe", "pipe"],
  })
  started.add(child)
  let error = ""
  child.stderr.on("data", (chunk: Buffer) => (error += chunk.toString()))
  const [code] = await once(child, "close")
  expect(code).toBe(1)
  expect(error).toMatch(/^workdesk: DATA_DIR[^\n]*\n$/)
})

it("prints its address, serves, and ends with 0 on SIGTERM while a stream is open", async () => {
  const { child, said, ended } = start({})
  const printed = () => /http:\/\/127\.0\.0\.1:\d+/.exec(said.out)?.[0]
  await expect.poll(printed).toBeDefined()
  const address = printed() ?? ""
  const session: unknown = await (await fetch(`${address}/desk/session`)).json()
  expect(session).toMatchObject({
    upstream: "embedded",
    colleagues: expect.arrayContaining([expect.objectContaining({ id: "analyst" })]),
  })

  const created = await fetch(`${address}/api/v1/work`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "server-test" },
    body: JSON.stringify({ colleague_id: "metronome", objective: "rate=5" }),
  })
  const stream = await fetch(`${address}${created.headers.get("location") ?? ""}/events?after=0`)
  expect(stream.status).toBe(200)
  child.kill("SIGTERM")
  await stream.text().catch(() => "ended")
  const [code] = await ended
  expect(code).toBe(0)
})

it("lets a request in progress finish when SIGINT follows SIGTERM", async () => {
  let answer = () => undefined as void
  const upstream = await startUpstream((heard, response) => {
    answer = () => setTimeout(() => answerJson(heard, response), 300).unref()
  })
  const { child, said, ended } = start({ WORK_API_URL: upstream.url, WORK_API_TOKEN: CANARY })
  const printed = () => /http:\/\/127\.0\.0\.1:\d+/.exec(said.out)?.[0]
  await expect.poll(printed).toBeDefined()
  const reply = fetch(`${printed() ?? ""}/api/v1/work/w`).then(({ status }) => status)
  await expect.poll(() => upstream.heard.some(({ url }) => url === "/api/v1/work/w")).toBe(true)
  child.kill("SIGTERM")
  const isServed = () => fetch(`${printed() ?? ""}/desk/health`).then(Boolean, () => false)
  await expect.poll(isServed).toBe(false)
  child.kill("SIGINT")
  answer()
  expect(await reply).toBe(200)
  expect((await ended)[0]).toBe(0)
})

it("ends within 10 s of SIGTERM although its PostgreSQL answers nothing any more", { timeout: 60_000 }, async () => {
  const postgres = await PostgresServer.start()
  onTestFinished(() => postgres.stop())
  const databaseUrl = new URL(await postgres.newDatabase())
  const { port, hostname } = databaseUrl
  const sockets = new Set<Socket>()
  // Packets to a machine that has vanished are lost, and no connection breaks.
  const relay = createServer((socket) => {
    const database = connect(Number(port), hostname)
    for (const each of [socket, database]) sockets.add(each.on("error", () => undefined))
    socket.pipe(database).pipe(socket)
  }).listen(0, "127.0.0.1")
  onTestFinished(() => {
    relay.close()
    for (const socket of sockets) socket.destroy()
  })
  await once(relay, "listening")
  databaseUrl.port = String((relay.address() as AddressInfo).port)
  // The outcome comes when the requests have nearly had their time. Then the store is to be closed while a statement is on its way.
  let answer = () => undefined as void
  const upstream = await startUpstream((heard, response) => {
    answer = () => setTimeout(() => answerJson(heard, response), 7_500).unref()
  })
  const environment = { WORK_API_URL: upstream.url, WORK_API_TOKEN: CANARY, DESK_DATABASE_URL: databaseUrl.href }
  const { child, said, ended } = start(environment)
  const printed = () => /http:\/\/127\.0\.0\.1:\d+/.exec(said.out)?.[0]
  await expect.poll(printed, { timeout: 20_000 }).toBeDefined()
  const body = JSON.stringify({ colleague_id: "metronome", objective: "x" })
  const headers = { "Content-Type": "application/json", "Idempotency-Key": "key-1" }
  const creating = fetch(`${printed()}/api/v1/work`, { method: "POST", headers, body })
  await expect.poll(() => upstream.heard.some(({ method }) => method === "POST")).toBe(true)
  for (const socket of sockets) socket.unpipe().pause()
  // This waits for the store.
  const listing = fetch(`${printed()}/desk/record`)
  for (const each of [creating, listing]) each.catch(() => undefined)
  await expect.poll(async () => (await fetch(`${printed()}/desk/health`)).ok).toBe(true)
  child.kill("SIGTERM")
  answer()
  expect((await ended)[0]).toBe(0)
})

it("serves on for DRAIN_SECONDS after SIGTERM, not ready, and closes each connection", async () => {
  const { child, said, ended } = start({ DRAIN_SECONDS: "2", METRICS_PORT: "0" })
  const printed = () => /http:\/\/127\.0\.0\.1:\d+/.exec(said.out)?.[0]
  await expect.poll(printed).toBeDefined()
  const ready = () => fetch(`${printed() ?? ""}/desk/ready`)
  expect((await ready()).status).toBe(200)
  child.kill("SIGTERM")
  await expect.poll(async () => (await ready()).status).toBe(503)
  const served = await fetch(`${printed() ?? ""}/api/v1/work`)
  expect([served.status, served.headers.get("connection")]).toEqual([200, "close"])
  expect((await fetch(`${printed() ?? ""}/desk/health`)).status).toBe(200)
  const [code] = await ended
  expect(code).toBe(0)
})

it("logs each row of the record, at every LOG_LEVEL, so that a shipped log has the record", async () => {
  const lines: string[] = []
  const dataFolder = join(folder, "record-in-the-log")
  const desk = await startDesk(
    { PORT: "0", DATA_DIR: dataFolder, LOG_LEVEL: "error" },
    { log: (line) => void lines.push(line) },
  )
  const answer = await fetch(`${desk.url}/api/v1/work`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": "key-1" },
    body: JSON.stringify({ colleague_id: "metronome", objective: "rate=0.01", title: "Logged" }),
  })
  expect(answer.status).toBe(201)
  await desk.stop()
  const rows = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ message }) => message === "record")
  expect(rows).toMatchObject([
    {
      kind: "intent",
      sequence: 1,
      person: "local",
      operation: "createWork",
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    },
    { kind: "outcome", sequence: 2, intent: 1, outcome: "recorded", previous: rows[0]?.["hash"] },
  ])
})

it("logs each line as JSON without a terminal, the address too", async () => {
  const { child, said, ended } = start({})
  const printed = () => /http:\/\/127\.0\.0\.1:\d+/.exec(said.out)?.[0]
  await expect.poll(printed).toBeDefined()
  const unknown = (await (await fetch(`${printed() ?? ""}/api/v1/work/unknown`)).json()) as { request_id: string }
  child.kill("SIGTERM")
  await ended
  const lines = linesOf(said.out)
  for (const line of lines) expect(line).toMatchObject({ level: "info", time: expect.any(String) })
  expect(said.error).toBe("")
  // The embedded service's line and the desk's line name the Problem that the person sees.
  const problem = { operation: "getWork", status: 404 }
  expect(lines).toContainEqual(expect.objectContaining({ ...problem, request_id: unknown.request_id }))
  expect(lines).toContainEqual(
    expect.objectContaining({ ...problem, person: "local", upstream_request_id: unknown.request_id }),
  )
})

it("says its address at every LOG_LEVEL, and has no line below the level", async () => {
  const lines: string[] = []
  const environment = { PORT: "0", DATA_DIR: join(folder, "data"), LOG_LEVEL: "error" }
  const desk = await startDesk(environment, { log: (line) => void lines.push(line) })
  desk.announce()
  await fetch(`${desk.url}/desk/session`)
  await desk.stop()
  expect(linesOf(lines.join(""))).toEqual([
    { level: "info", time: expect.any(String), message: `Workdesk is at ${desk.url}` },
  ])
})

it.skipIf(process.platform !== "linux")("says its address in one plain line on a terminal", async () => {
  // util-linux's script gives the command a terminal.
  const child = spawn("script", ["-qec", `${process.execPath} ${SERVER}`, "/dev/null"], {
    env: { PATH, NODE_COMPILE_CACHE, PORT: "0", DATA_DIR: join(folder, "terminal"), LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "inherit"],
  })
  started.add(child)
  let out = ""
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
  await expect.poll(() => out).toMatch(/^Workdesk is at http:\/\/127\.0\.0\.1:\d+\r\n$/)
})

it.skipIf(process.platform !== "linux")("describes the desk in one block on a terminal", async () => {
  let out = ""
  // The service answers after the log has a line.
  const upstream = await startUpstream((heard, response) => {
    const timer = setInterval(() => {
      if (!out.includes("the record's last row")) return
      clearInterval(timer)
      answerJson(heard, response)
    }, 10)
  })
  const child = spawn("script", ["-qec", `${process.execPath} ${SERVER}`, "/dev/null"], {
    env: {
      PATH,
      NODE_COMPILE_CACHE,
      PORT: "0",
      DATA_DIR: join(folder, "block"),
      WORK_API_URL: upstream.url,
      WORK_API_TOKEN: SECRET,
    },
    stdio: ["ignore", "pipe", "inherit"],
  })
  started.add(child)
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString().replaceAll("\r", "")))
  await expect.poll(() => out, { timeout: 10_000 }).toMatch(/^Workdesk is at .*\n {2}people use .*\n {2}store /m)
})

it.each([
  ["--version", /^\d+\.\d+\.\d+\n$/, "", 0],
  ["--help", /--version[^]*WORK_API_URL/, "", 0],
  ["--verison", /^$/, /^workdesk: [^\n]*--verison[^]*--help/, 2],
])("%s", async (option, out, error, status) => {
  const { said, ended } = start({}, [option])
  const [code] = await ended
  expect(said.out).toMatch(out)
  expect(said.error).toMatch(error)
  expect(code).toBe(status)
})

it.each([
  [{}, []],
  [{ COLLEAGUES: "analyst=Ann|reads" }, [{ id: "analyst", label: "Ann", does: "reads" }]],
])("offers only the colleagues of COLLEAGUES for another upstream: %j", async (variables, colleagues) => {
  const upstream = { ...variables, WORK_API_URL: "http://127.0.0.1:9", WORK_API_TOKEN: SECRET }
  const environment = { PORT: "0", DATA_DIR: join(folder, "data"), ...upstream }
  const desk = await startDesk(environment, { log: () => undefined })
  const session: unknown = await (await fetch(`${desk.url}/desk/session`)).json()
  await desk.stop()
  expect(session).toMatchObject({ upstream: "127.0.0.1", colleagues })
})

it("names every variable of docs/reference.md in --help, except those of `npm run service`", async () => {
  const { said, ended } = start({}, ["--help"])
  await ended
  const named = said.out.replaceAll(/(\w+)\(_FILE\)/g, "$1 $1_FILE").match(/\b[A-Z][A-Z_]+\b/g)
  const ofDesk = [...KNOWN_VARIABLES].filter((name) => !/^SERVICE_(?!CONFIG)/.test(name))
  expect(ofDesk.filter((name) => !named?.includes(name))).toEqual([])
})

it("ends in order on a signal that comes as soon as the address is said", async () => {
  const script = `
    import { runDesk } from ${JSON.stringify(SERVER)}
    await runDesk(process.env, { log: (line) => console.log(process.listenerCount("SIGTERM"), line) })`
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    env: { PATH, NODE_COMPILE_CACHE, PORT: "0", DATA_DIR: join(folder, "signal"), LOG_LEVEL: "error" },
    stdio: ["ignore", "pipe", "inherit"],
  })
  started.add(child)
  const [line] = await once(child.stdout, "data")
  expect(String(line)).toMatch(/^1 .*Workdesk is at/)
})

it("refuses a second desk on one SQLite folder, but not after the first one was killed", async () => {
  const environment = { DATA_DIR: join(folder, "one-desk"), WORK_API_URL: "http://127.0.0.1:9", WORK_API_TOKEN: SECRET }
  const first = start(environment)
  await expect.poll(() => first.said.out, { timeout: 20_000 }).toContain("Workdesk is at")
  const second = start(environment)
  expect(await second.ended).toEqual([1, null])
  expect(second.said.error).toBe("workdesk: DATA_DIR is in use by another desk: several desks need DESK_DATABASE_URL\n")
  first.child.kill("SIGKILL")
  await first.ended
  const third = start(environment)
  await expect.poll(() => third.said.out, { timeout: 20_000 }).toContain("Workdesk is at")
})

it("warns of a variable that looks like one of Workdesk and is none, without its value", async () => {
  const desk = start({
    ALLOWED_HOST: SECRET,
    WORK_API_TIMEOUT: SECRET,
    EDITOR: SECRET,
    DATA_DIR: join(folder, "warns"),
  })
  await expect.poll(() => desk.said.out, { timeout: 20_000 }).toContain("Workdesk is at")
  const warnings = linesOf(desk.said.out).filter(({ level }) => level === "warn")
  expect(warnings.map(({ message }) => message)).toEqual([
    "ALLOWED_HOST is unknown to Workdesk and has no effect: did you mean ALLOWED_HOSTS?",
    "WORK_API_TIMEOUT is unknown to Workdesk and has no effect",
  ])
  expect(desk.said.out).not.toContain(SECRET)
})

it("knows every variable of the documents, and no other", () => {
  const documents = ["reference.md", "embedded-service.md"]
    .map((name) => readFileSync(join(import.meta.dirname, "../docs", name), "utf8"))
    .join("\n")
  const cells = [...documents.matchAll(/^\| (`[A-Z][A-Z_]+`[^|]*)\|/gm)].flatMap(([, cell = ""]) =>
    cell.match(/[A-Z][A-Z_]+/g),
  )
  expect(cells.filter((name) => !KNOWN_VARIABLES.has(name ?? ""))).toEqual([])
  expect([...KNOWN_VARIABLES].filter((name) => !documents.includes(name.replace(/_FILE$/, "")))).toEqual([])
})
