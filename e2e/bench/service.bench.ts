/**
 * What the embedded service costs, in one run (`npm run bench`): how fast Work is created beside bare fsyncs on the same disk, the first
 * page of a long list beside the last page, and how late an event reaches many readers.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { call, member, newKey, textOf } from "../../src/service/testing/client.ts"
import { fillStore } from "./fill-store.ts"
import { median, percentile } from "./load/figures.ts"
import { processorTime, residentBytes } from "./load/usage.ts"
import { openViewers } from "./load/viewers.ts"

const TOKEN = "bench"
const LIST_LENGTH = 100_000
const READERS = [1, 100, 1000]
const SECONDS = 5
const ROUNDS = 5

const folder = await mkdtemp(join(tmpdir(), "workdesk-bench-"))
const configFile = join(folder, "config.json")
const everything = ["work:read", "work:create", "upload:create"]
await writeFile(
  configFile,
  JSON.stringify({
    credentials: [{ token: TOKEN, account: "sa_bench", owner: "owner_bench", scopes: everything }],
    pace: 0,
    limits: { readPerMinute: 1e9, writePerMinute: 1e9, streamsPerCredential: 1e4, activeWork: 1e6 },
  }),
)

try {
  await benchCreates()
  await benchList()
  await benchEvents()
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Uploads and Works a second, one after the other and fifty at once, by turns with a write and fsync of one page. */
async function benchCreates(): Promise<void> {
  const host = await start("creates")
  const create = async (path: string, body: unknown) => {
    const { status, text } = await call(host.url, "POST", path, { token: TOKEN, key: newKey(), body })
    if (status !== 201) throw new Error(text)
  }
  const upload = () => create("/api/v1/uploads", { name: "a.txt", media_type: "text/plain", content: "x".repeat(100) })
  const work = () => create("/api/v1/work", { colleague_id: "idler", objective: "x" })
  const contests: Record<string, () => Promise<number> | number> = {
    "write and fsync 4 KiB, nothing else": fsyncRate,
    "createInputUpload, one after the other": () => rate(1, upload),
    "createInputUpload, fifty at once": () => rate(50, upload),
    "createWork, one after the other": () => rate(1, work),
    "createWork, fifty at once": () => rate(50, work),
  }
  const rates = new Map<string, number[]>()
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, contest] of Object.entries(contests)) {
      const result = await contest()
      // The first round warms both processes up, and is not measured.
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), result])
    }
  }
  await host.stop()
  const bare = median(rates.values().next().value ?? [])
  console.log("\n| at synchronous=FULL | a second | to the bare fsync rate |\n|---|---:|---:|")
  for (const [name, results] of rates) {
    console.log(`| ${name} | ${median(results).toFixed(0)} | ${(median(results) / bare).toFixed(2)} |`)
  }
}

/** The first and the last page of 100,000 Works, by turns. */
async function benchList(): Promise<void> {
  const finished = { account: "sa_bench", owner: "owner_bench", colleague_id: "clock", status: "done", executed_ms: 0 }
  fillStore(join(folder, "list"), LIST_LENGTH, { work: { ...finished, completion_summary: "Done." } })
  const host = await start("list")
  const page = async (cursor?: string) => {
    const query = cursor === undefined ? "" : `&cursor=${cursor}`
    return (await call(host.url, "GET", `/api/v1/work?limit=50${query}`, { token: TOKEN })).body
  }
  let last: string | undefined
  for (let body = await page(); member(body, "next_cursor") !== undefined; body = await page(last)) {
    last = textOf(body, "next_cursor")
  }
  const times: { first: number[]; last: number[] } = { first: [], last: [] }
  for (let turn = 0; turn < 300; turn++) {
    times.first.push(await milliseconds(() => page()))
    times.last.push(await milliseconds(() => page(last)))
  }
  const [first, end] = [median(times.first), median(times.last)]
  console.log(`\n| 50 of ${LIST_LENGTH} Works | median ms | ratio |\n|---|---:|---:|`)
  console.log(`| the first page | ${first.toFixed(2)} | 1 |`)
  console.log(`| the last page | ${end.toFixed(2)} | ${(end / first).toFixed(2)} |`)
  await host.stop()
}

/** The time from when an event is made, before its commit, until a reader in another process has the event. */
async function benchEvents(): Promise<void> {
  const host = await start("events")
  const created = await call(host.url, "POST", "/api/v1/work", {
    token: TOKEN,
    key: newKey(),
    body: { colleague_id: "clock", objective: "x" },
  })
  const { host: authority, port } = new URL(host.url)
  const target = `${String(created.headers.location)}/events?after=0`
  const request = `GET ${target} HTTP/1.1\r\nHost: ${authority}\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`
  console.log(
    "\n| readers of one Work | median ms | p99 ms | processor µs a delivery | resident MB |\n|---:|---:|---:|---:|---:|",
  )
  for (const readers of READERS) {
    const viewers = Array.from({ length: readers }, () => ({ port: Number(port), request }))
    const open = openViewers(viewers, latenciesOfPublished)
    const { latencies } = open
    await pause(1_000)
    latencies.length = 0
    const processorBefore = processorTime([host.pid])
    await pause(SECONDS * 1_000)
    const cost = (processorTime([host.pid]) - processorBefore) / latencies.length
    await host.collectGarbage()
    const memory = residentBytes([host.pid]) / 1e6
    const figures = [median(latencies) / 1_000, percentile(latencies, 0.99) / 1_000, cost, memory]
    console.log(`| ${[readers, ...figures.map((figure) => figure.toFixed(1))].join(" | ")} |`)
    open.close()
    await pause(500)
  }
  await host.stop()
}

/** How late the events of a text are, in microseconds. */
function latenciesOfPublished(text: string): number[] {
  const now = performance.timeOrigin + performance.now()
  return [...text.matchAll(/"published_at":"([^"]+)"/g)].map(([, at = ""]) => (now - Date.parse(at)) * 1_000)
}

async function start(name: string) {
  const host = fork(join(import.meta.dirname, "service-host.ts"), [join(folder, name), configFile], {
    execArgv: ["--expose-gc"],
  })
  const [url]: unknown[] = await once(host, "message")
  return {
    url: String(url),
    pid: host.pid ?? 0,
    async collectGarbage(): Promise<void> {
      host.send("collect garbage")
      await once(host, "message")
    },
    async stop(): Promise<void> {
      host.send("stop")
      await once(host, "exit")
    },
  }
}

function fsyncRate(): number {
  const file = openSync(join(folder, "fsync"), "w")
  const page = Buffer.alloc(4096)
  const begun = performance.now()
  let count = 0
  for (; performance.now() - begun < 1000; count++) {
    writeSync(file, page)
    fsyncSync(file)
  }
  closeSync(file)
  return count
}

/** How often `action` is done in a second when so many do it at once. */
async function rate(parallel: number, action: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  let count = 0
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (; performance.now() - begun < 1000; count++) await action()
    }),
  )
  return (count * 1000) / (performance.now() - begun)
}

async function milliseconds(action: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await action()
  return performance.now() - begun
}
