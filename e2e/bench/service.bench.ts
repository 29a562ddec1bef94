/**
 * What the embedded service costs, as ratios and figures of one run (`npm run bench`): creating Work against the bare fsync
 * rate of the same disk, the first page of a long list against the last, and an event's way to many readers.
 */
import { fork } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { Agent, get } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openStore } from "../../src/service/store/open.ts"
import { call, member, newKey, textOf } from "../../src/service/testing/client.ts"

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

/** Uploads and Works a second, one after the other and fifty at once, in turns with write-and-fsync of one page. */
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
      // The first round warms both processes up.
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

/** The first and the last page of 100,000 Works, in turns. */
async function benchList(): Promise<void> {
  fill(join(folder, "list"))
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

/** From the making of an event, before its commit, to its last byte at a reader in another process. */
async function benchEvents(): Promise<void> {
  const host = await start("events")
  const created = await call(host.url, "POST", "/api/v1/work", {
    token: TOKEN,
    key: newKey(),
    body: { colleague_id: "clock", objective: "x" },
  })
  const path = `${String(created.headers.location)}/events?after=0`
  console.log(
    "\n| readers of one Work | median ms | p99 ms | processor µs a delivery | resident MB |\n|---:|---:|---:|---:|---:|",
  )
  for (const readers of READERS) {
    const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
    const latencies: number[] = []
    const open = await Promise.all(
      Array.from({ length: readers }, () => follow(`${host.url}${path}`, agent, latencies)),
    )
    await new Promise((resolve) => setTimeout(resolve, 1000))
    latencies.length = 0
    const begun = await host.usage()
    await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000))
    const ended = await host.usage()
    const cost = (ended.processor - begun.processor) / latencies.length
    const memory = ended.resident / 1e6
    const figures = [median(latencies), percentile(latencies, 0.99), cost, memory].map((figure) => figure.toFixed(1))
    console.log(`| ${[readers, ...figures].join(" | ")} |`)
    for (const request of open) request.destroy()
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  await host.stop()
}

async function follow(url: string, agent: Agent, latencies: number[]) {
  const request = get(url, { agent, headers: { authorization: `Bearer ${TOKEN}` } })
  request.on("error", () => {})
  const [response] = await once(request, "response")
  response.on("error", () => {})
  response.on("data", (piece: Buffer) => {
    const now = performance.timeOrigin + performance.now()
    for (const [, at] of piece.toString("latin1").matchAll(/"published_at":"([^"]+)"/g))
      latencies.push(now - Date.parse(at ?? ""))
  })
  return request
}

type Usage = { readonly resident: number; readonly processor: number }

async function start(name: string) {
  const host = fork(join(import.meta.dirname, "service-host.ts"), [join(folder, name), configFile], {
    execArgv: ["--expose-gc"],
  })
  const { url } = await answer<{ url: string }>(host)
  return {
    url,
    async usage(): Promise<Usage> {
      host.send("usage")
      return answer<Usage>(host)
    },
    async stop(): Promise<void> {
      host.send("stop")
      await once(host, "exit")
    },
  }
}

/** The next message of a host, whose program is beside this one. */
async function answer<Message>(host: ChildProcess): Promise<Message> {
  const [message] = await once(host, "message")
  return message
}

/** Fills a store as that many finished Works would have; through the API it would take minutes. */
function fill(data: string): void {
  const opened = openStore(data)
  const written = opened.store.effect(() => {
    for (let index = 0; index < LIST_LENGTH; index++) {
      opened.store.insert("work", {
        id: `work_${index}`,
        account: "sa_bench",
        owner: "owner_bench",
        colleague_id: "clock",
        title: `Work ${index}`,
        objective: "Something to do. ".repeat(10),
        visibility_scope: "private",
        priority: "normal",
        status: "done",
        version: 2,
        completion_summary: "Done.",
        executed_ms: 0,
        created_at: 1.7e12 + index * 1000,
        updated_at: 1.7e12 + index * 1000,
      })
    }
  })
  written.catch((error: unknown) => console.error(error))
  opened.close()
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

/** How often a second `action` can be done by so many at once. */
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

function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN
}
