/**
 * What the proxy costs, side by side in one run: `node e2e/bench/proxy.bench.ts [seconds a measurement]`. Against the upstream itself, nginx (where
 * it is installed) and http-proxy-3, which put the same credential in. `--download` adds a gigabyte read at 5 MB/s.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../../src/people/testing/free-port.ts"

const TICKS_PER_SECOND = 100
const PAGE_BYTES = 4_096
const seconds = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 4)
const programs = join(import.meta.dirname, "proxy-programs.ts")
const children: ChildProcess[] = []
const folder = mkdtempSync(join(tmpdir(), "workdesk-bench-"))

type Program = {
  readonly name: string
  readonly port: number
  readonly pids: readonly number[]
  /** Of a desk with sign-in. */
  readonly cookie?: string
}

async function start(role: string, upstreamUrl = ""): Promise<Program> {
  const child = spawn(process.execPath, [programs, role, upstreamUrl], { stdio: ["ignore", "pipe", "inherit"] })
  children.push(child)
  const { promise, resolve } = Promise.withResolvers<string>()
  child.stdout.once("data", (line: Buffer) => resolve(line.toString().trim()))
  const [port, cookie] = (await promise).split(" ")
  return { name: role, port: Number(port), pids: [child.pid ?? 0], ...(cookie === undefined ? {} : { cookie }) }
}

async function startNginx(upstreamPort: number): Promise<Program | undefined> {
  const path = spawnSync("sh", ["-c", "PATH=$PATH:/usr/sbin command -v nginx"]).stdout.toString().trim()
  if (path === "") return undefined
  const port = await freePort()
  const configuration = join(folder, "nginx.conf")
  writeFileSync(
    configuration,
    `daemon off; worker_processes 1; error_log stderr crit; pid ${folder}/nginx.pid;
     events { worker_connections 4096; }
     http { access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder}; uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
       upstream up { server 127.0.0.1:${upstreamPort}; keepalive 1024; }
       server { listen 127.0.0.1:${port}; keepalive_requests 100000000;
         location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;
           proxy_set_header Authorization "Bearer bench-token-of-some-length"; } } }`,
  )
  const child = spawn(path, ["-c", configuration], { stdio: "inherit" })
  children.push(child)
  await until(async () => spawnSync("pgrep", ["-P", String(child.pid)]).stdout.length > 0)
  const workers = spawnSync("pgrep", ["-P", String(child.pid)])
    .stdout.toString()
    .trim()
    .split("\n")
    .map(Number)
  return { name: "nginx", port, pids: workers }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(50)
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Processor time used so far, in microseconds (Linux). */
function processorTime({ pids }: Program): number {
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
    return sum + ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / TICKS_PER_SECOND
  }, 0)
}

function residentBytes({ pids }: Program): number {
  return pids.reduce(
    (sum, pid) => sum + Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE_BYTES,
    0,
  )
}

const at = (sorted: readonly number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

type Measured = { readonly perSecond: number; readonly p50: number; readonly p99: number; readonly processor: number }

/** Each connection asks its own Work, one request after the other, so that none is shared. The client does as little as it can. */
async function measureRequests(program: Program, connections: number, forMs: number): Promise<Measured> {
  const latencies: number[] = []
  const sockets: Socket[] = []
  const cookie = program.cookie === undefined ? "" : `Cookie: ${program.cookie}\r\n`
  let isRunning = true
  const done = Array.from({ length: connections }, (_, index) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const bytes = `GET /api/v1/work/work-${index} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\nAuthorization: Bearer bench-token-of-some-length\r\n${cookie}\r\n`
    let answerBytes = 0
    let received = 0
    let began = 0
    const ask = () => {
      if (!isRunning) return resolve()
      received = 0
      began = performance.now()
      return socket.write(bytes)
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
  await pause(forMs / 4)
  latencies.length = 0
  const [processorBefore, began] = [processorTime(program), performance.now()]
  await pause(forMs)
  const processor = (processorTime(program) - processorBefore) / latencies.length
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
  if (!text.startsWith("HTTP/1.1 200") || length === undefined) throw new Error(`unexpected: ${text.slice(0, 200)}`)
  return head + Number(length)
}

/** Viewers of one Work, or of a Work each; 40 events a second. */
async function measureEvents(program: Program, upstream: Program, viewers: number, isShared: boolean, forMs: number) {
  const latencies: number[] = []
  const idle = residentBytes(program)
  const sockets = Array.from({ length: viewers }, (_, index) => {
    const work = isShared ? `shared-${viewers}` : `work-${viewers}-${index}`
    const socket = connect(program.port, "127.0.0.1")
    socket.write(
      `GET /api/v1/work/${work}/events?after=0 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer bench-token-of-some-length\r\n\r\n`,
    )
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
    await pause(500)
  } while (latencies.length < viewers)
  latencies.length = 0
  const [processorBefore, began] = [processorTime(program), performance.now()]
  let streams = "0"
  while (performance.now() - began < forMs) {
    streams = await publish()
    await pause(25)
  }
  await pause(500)
  const processor = (processorTime(program) - processorBefore) / latencies.length
  const memory = (residentBytes(program) - idle) / viewers
  for (const socket of sockets) socket.destroy()
  await until(async () => Number(await publish()) === 0)
  const sorted = latencies.toSorted((one, other) => one - other)
  return { streams: Number(streams), p50: at(sorted, 0.5), p99: at(sorted, 0.99), processor, memory }
}

/** A gigabyte at 5 MB/s for some time, then as fast as it comes. */
async function measureDownload(program: Program) {
  const idle = residentBytes(program)
  const hash = createHash("sha256")
  const socket = connect(program.port, "127.0.0.1")
  socket.write("GET /api/v1/work/w/artifacts/a/content HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
  const { promise, resolve } = Promise.withResolvers<void>()
  const began = performance.now()
  const slowMs = 30_000
  let bytes = 0
  let most = 0
  let headEnd = -1
  socket.on("end", resolve)
  socket.on("data", (chunk: Buffer) => {
    let body = chunk
    if (headEnd === -1) {
      headEnd = chunk.indexOf("\r\n\r\n")
      body = chunk.subarray(headEnd + 4)
    }
    bytes += body.length
    hash.update(body)
    const elapsed = performance.now() - began
    const due = bytes / 5_000
    if (elapsed > slowMs || due <= elapsed) return
    most = Math.max(most, residentBytes(program))
    socket.pause()
    setTimeout(() => socket.resume(), due - elapsed)
  })
  await promise
  const expected = createHash("sha256")
  const piece = Buffer.alloc(65_536, "download")
  for (let left = 1_073_741_824 / piece.length; left > 0; left--) expected.update(piece)
  return { bytes, isEqual: hash.digest("hex") === expected.digest("hex"), grownMb: (most - idle) / 1_048_576 }
}

const us = (value: number) => `${value.toFixed(0)} µs`
const times = (value: number, than: number) => `${(value / than).toFixed(2)}×`

try {
  const upstream = await start("upstream")
  const upstreamUrl = `http://127.0.0.1:${upstream.port}`
  const ours = await start("ours", upstreamUrl)
  const signedIn = await start("ours, signed in", upstreamUrl)
  const other = await start("http-proxy-3", upstreamUrl)
  const nginx = await startNginx(upstream.port)
  const contenders = [upstream, ...(nginx === undefined ? [] : [nginx]), ours, signedIn, other]
  if (process.argv.includes("--download")) {
    console.log("\nA gigabyte, at 5 MB/s for 30 s and then as fast as it comes")
    console.table(await measureDownload(ours))
  }
  for (const connections of [1, 50]) {
    const rows: Record<string, Record<string, string>> = {}
    let base: Measured | undefined
    for (const program of contenders) {
      const measured = await measureRequests(program, connections, seconds * 1_000)
      base ??= measured
      rows[program === upstream ? "upstream direct" : program.name] = {
        "requests/s": measured.perSecond.toFixed(0),
        "of direct": times(measured.perSecond, base.perSecond),
        p50: us(measured.p50),
        "p50 added": us(measured.p50 - base.p50),
        p99: us(measured.p99),
        "p99 added": us(measured.p99 - base.p99),
        "processor a request": us(measured.processor),
      }
    }
    console.log(`\n2 kB of JSON, ${connections} connection${connections === 1 ? "" : "s"}`)
    console.table(rows)
  }
  const rows: Record<string, Record<string, string | number>> = {}
  for (const viewers of [1, 100, 1_000]) {
    const kinds: [string, Program, boolean][] = [
      ["ours, shared", ours, true],
      ["ours, a Work each", ours, false],
      ["http-proxy-3", other, true],
      ...(nginx === undefined ? [] : [["nginx", nginx, true] satisfies [string, Program, boolean]]),
    ]
    for (const [name, program, isShared] of kinds) {
      const measured = await measureEvents(program, upstream, viewers, isShared, seconds * 1_000)
      rows[`${viewers} viewers, ${name}`] = {
        "upstream streams": measured.streams,
        p50: us(measured.p50),
        p99: us(measured.p99),
        "processor a delivery": `${measured.processor.toFixed(1)} µs`,
        "memory a viewer": `${(measured.memory / 1_024).toFixed(0)} kB`,
      }
    }
  }
  console.log("\nEvents, 40 a second")
  console.table(rows)
} finally {
  for (const child of children) child.kill()
  rmSync(folder, { recursive: true, force: true })
}
