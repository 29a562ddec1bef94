/** What the benchmarks of the proxy share: programs to measure, clients that do as little as they can, and processor time. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

const TICKS_PER_SECOND = 100
const PAGE_BYTES = 4_096
const PUBLISH_MS = 25
const SETTLE_MS = 500
const PROGRAMS = join(import.meta.dirname, "proxy-programs.ts")

/** How long one measurement takes. */
export const seconds = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 4)
export const folder = mkdtempSync(join(tmpdir(), "workdesk-bench-"))
export const children: ChildProcess[] = []

export type Program = {
  readonly name: string
  readonly port: number
  readonly pids: readonly number[]
  /** Of a desk with sign-in: the cookie, and the person's id. */
  readonly cookie?: string
  readonly person?: string
}

/** Starts a program of proxy-programs.ts. */
export async function start(
  role: string,
  upstream?: Program,
  environment: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const upstreamUrl = upstream === undefined ? "" : `http://127.0.0.1:${upstream.port}`
  const child = spawn(process.execPath, [PROGRAMS, role, upstreamUrl], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...environment },
  })
  children.push(child)
  const { promise, resolve } = Promise.withResolvers<string>()
  child.stdout.once("data", (line: Buffer) => resolve(line.toString().trim()))
  const [port, cookie, person] = (await promise).split(" ")
  const session = cookie === undefined || person === undefined ? {} : { cookie, person }
  return { name: role, port: Number(port), pids: [child.pid ?? 0], ...session }
}

export function endPrograms(): void {
  for (const child of children) child.kill()
  rmSync(folder, { recursive: true, force: true })
}

export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(50)
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Processor time used so far, in microseconds (Linux). */
export function processorTime(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const [user = 0, system = 0] = ticksOf(pid)
    return sum + ((user + system) * 1_000_000) / TICKS_PER_SECOND
  }, 0)
}

/** As processorTime, of a process and all its children, those included that have ended. */
export function processorTimeOfTree(pid: number): number {
  const children = spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" })
    .stdout.trim()
    .split("\n")
    .map(Number)
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = ticksOf(pid)
  const own = ((user + system + childrenUser + childrenSystem) * 1_000_000) / TICKS_PER_SECOND
  return own + processorTime(children.filter((child) => existsSync(`/proc/${child}/stat`)))
}

/** User and system time of a process, then of its children that have ended, in ticks. */
function ticksOf(pid: number): number[] {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return fields.slice(11, 15).map(Number)
}

export function residentBytes(pids: readonly number[]): number {
  return pids.reduce(
    (sum, pid) => sum + Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE_BYTES,
    0,
  )
}

const at = (sorted: readonly number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

export type Measured = {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly processor: number
}

/** The bytes of each request of one connection. */
export type Asking = (program: Program, connection: number) => () => string

const headOf = ({ cookie, person }: Program) =>
  `Host: 127.0.0.1\r\nAuthorization: Bearer bench-token-of-some-length\r\n${cookie === undefined ? "" : `Cookie: ${cookie}\r\nDesk-Person: ${person}\r\n`}`

/** Reads a Work of the connection's own, so that no read is shared. */
export const readingWork: Asking = (program, connection) => {
  const bytes = `GET /api/v1/work/work-${connection} HTTP/1.1\r\n${headOf(program)}Accept: application/json\r\n\r\n`
  return () => bytes
}

/** Creates Work, each time under a key of its own. */
export const creatingWork: Asking = (program) => {
  const body = JSON.stringify({ colleague_id: "analyst", title: "Benchmark", objective: "x".repeat(200) })
  const head = `POST /api/v1/work HTTP/1.1\r\n${headOf(program)}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  return () => `${head}Idempotency-Key: ${crypto.randomUUID()}\r\n\r\n${body}`
}

/** Asks one request after the other on each connection. The connections are spread evenly over the programs. */
export async function measureRequests(
  programs: readonly [Program, ...Program[]],
  connections: number,
  asking: Asking,
): Promise<Measured> {
  const latencies: number[] = []
  const sockets: Socket[] = []
  const pids = programs.flatMap((program) => program.pids)
  let isRunning = true
  const done = Array.from({ length: connections }, (_, index) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const program = programs[index % programs.length] ?? programs[0]
    const nextBytes = asking(program, index)
    let answerBytes = 0
    let received = 0
    let began = 0
    const ask = () => {
      if (!isRunning) return resolve()
      received = 0
      began = performance.now()
      return socket.write(nextBytes())
    }
    const socket = connect(program.port, "127.0.0.1", ask)
    sockets.push(socket)
    socket.on("data", (chunk: Buffer) => {
      if (received === 0) answerBytes = wholeLength(chunk)
      received += chunk.length
      if (received < answerBytes) return
      latencies.push((performance.now() - began) * 1_000)
      ask()
    })
    return promise
  })
  const forMs = seconds * 1_000
  await pause(forMs / 4)
  latencies.length = 0
  const [processorBefore, began] = [processorTime(pids), performance.now()]
  await pause(forMs)
  const processor = (processorTime(pids) - processorBefore) / latencies.length
  const perSecond = (latencies.length / (performance.now() - began)) * 1_000
  isRunning = false
  await Promise.all(done)
  for (const socket of sockets) socket.destroy()
  const sorted = latencies.toSorted((one, other) => one - other)
  return { perSecond, p50: at(sorted, 0.5), p99: at(sorted, 0.99), processor }
}

function wholeLength(first: Buffer): number {
  const text = first.toString("latin1")
  const head = text.indexOf("\r\n\r\n") + 4
  const length = /content-length: (\d+)/i.exec(text)?.[1]
  if (!/^HTTP\/1.1 20[01] /.test(text) || length === undefined) throw new Error(`unexpected: ${text.slice(0, 300)}`)
  return head + Number(length)
}

export type MeasuredEvents = Measured & {
  /** Streams that were open to the upstream. */
  readonly streams: number
  /** Bytes of memory a viewer. */
  readonly memory: number
}

/** Viewers of Works, each at one of the programs, and 40 events a second of each Work. */
export async function measureEvents(
  programs: readonly [Program, ...Program[]],
  upstream: Program,
  viewers: number,
  workOf: (viewer: number) => string,
): Promise<MeasuredEvents> {
  const latencies: number[] = []
  const pids = programs.flatMap((program) => program.pids)
  const idle = residentBytes(pids)
  const sockets = Array.from({ length: viewers }, (_, index) => {
    const program = programs[index % programs.length] ?? programs[0]
    const socket = connect(program.port, "127.0.0.1")
    socket.write(`GET /api/v1/work/${workOf(index)}/events?after=0 HTTP/1.1\r\n${headOf(program)}\r\n`)
    socket.on("data", (chunk: Buffer) => {
      const now = process.hrtime.bigint()
      for (const [, sent = "0"] of chunk.toString("latin1").matchAll(/"at":"(\d+)"/g))
        latencies.push(Number(now - BigInt(sent)) / 1_000)
    })
    return socket
  })
  const publish = async () => (await fetch(`http://127.0.0.1:${upstream.port}/publish`)).text()
  // Until everybody hears: the opening is not measured.
  do {
    latencies.length = 0
    await publish()
    await pause(SETTLE_MS)
  } while (latencies.length < viewers)
  latencies.length = 0
  const [processorBefore, began] = [processorTime(pids), performance.now()]
  let streams = "0"
  while (performance.now() - began < seconds * 1_000) {
    streams = await publish()
    await pause(PUBLISH_MS)
  }
  const perSecond = (latencies.length / (performance.now() - began)) * 1_000
  await pause(SETTLE_MS)
  const processor = (processorTime(pids) - processorBefore) / latencies.length
  const memory = (residentBytes(pids) - idle) / viewers
  for (const socket of sockets) socket.destroy()
  await until(async () => Number(await publish()) === 0)
  const sorted = latencies.toSorted((one, other) => one - other)
  return { streams: Number(streams), perSecond, p50: at(sorted, 0.5), p99: at(sorted, 0.99), processor, memory }
}
