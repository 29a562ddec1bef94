/**
 * What waits, in real time (`npm run bench`): a desk with its embedded service at the default quota, in a process of its own. Seconds and
 * requests until all is known, requests a minute at rest with one viewer and with a hundred, and what a hundred answers at once cost.
 *
 *     node e2e/bench/waiting-desk.bench.ts 5000    # open Works; 500 if left out
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { Agent, request } from "node:http"
import { createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { gunzipSync } from "node:zlib"
import { openStore } from "../../src/service/store/open.ts"
import { startProgram } from "../program.ts"

const WORKS = Number(process.argv[2] ?? 500)
const VIEWERS = 100
const REST_SECONDS = 30
const READS = /"operation":"(?:listWork|getWork|listWorkApprovals|listWorkAttention)"/g

const folder = await mkdtemp(join(tmpdir(), "workdesk-bench-"))
const configFile = join(folder, "service.json")
const metricsPort = await freePort()
await writeFile(configFile, JSON.stringify({ limits: { activeWork: 1e6 } }))
fill(join(folder, "service"))
const desk = await startProgram("src/server.ts", {
  PORT: "0",
  DATA_DIR: folder,
  SERVICE_CONFIG: configFile,
  METRICS_PORT: String(metricsPort),
  LOG_LEVEL: "debug",
})
try {
  await measure()
} finally {
  await desk.stop()
  await rm(folder, { recursive: true, force: true })
}

type Reply = {
  readonly status: number
  readonly etag: string
  readonly ms: number
  /** As it was sent. */
  readonly body: Buffer
  readonly text: () => string
}

async function measure(): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const began = performance.now()
  let first = Number.NaN
  let last = await ask(agent)
  while (!last.text().includes('"complete":true')) {
    if (Number.isNaN(first) && last.text().includes('"item"')) first = (performance.now() - began) / 1_000
    const next = await ask(agent, last.etag)
    if (next.status === 200) last = next
  }
  const seconds = (performance.now() - began) / 1_000
  const gathered = reads()
  const processor = await processorSeconds()

  const atRest = {
    one: await requestsAMinute(agent, 1, last.etag),
    many: await requestsAMinute(agent, VIEWERS, last.etag),
  }

  console.log(
    "\n| open Works | requests | first item, s | last item, s | requests a minute at rest | the same with 100 viewers |",
  )
  console.log("|---:|---:|---:|---:|---:|---:|")
  console.log(
    `| ${WORKS} | ${gathered} | ${first.toFixed(2)} | ${seconds.toFixed(1)} | ${processor.toFixed(1)} | ${atRest.one.toFixed(0)} | ${atRest.many.toFixed(0)} |`,
  )

  console.log(
    "\n| viewers at once | bytes of an answer | median ms | greatest ms | processor ms an answer |\n|---:|---:|---:|---:|---:|",
  )
  for (const viewers of [1, 2, 10, VIEWERS]) {
    const rounds = 10
    const times: number[] = []
    const cpuBefore = await processorSeconds()
    for (let round = 0; round < rounds; round++) {
      const answers = await Promise.all(Array.from({ length: viewers }, () => ask(agent)))
      times.push(...answers.map(({ ms }) => ms))
    }
    const cpu = ((await processorSeconds()) - cpuBefore) * 1_000
    const sorted = times.toSorted((one, other) => one - other)
    const [median = 0, most = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
    const cost = (cpu / rounds / viewers).toFixed(2)
    console.log(`| ${viewers} | ${last.body.length} | ${median.toFixed(1)} | ${most.toFixed(1)} | ${cost} |`)
  }
}

/** Reads of the service a minute while so many viewers follow what waits. */
async function requestsAMinute(agent: Agent, viewers: number, etag: string): Promise<number> {
  const until = performance.now() + REST_SECONDS * 1_000
  const before = reads()
  const follow = async () => {
    for (let tag = etag; performance.now() < until;) tag = (await ask(agent, tag, 5)).etag
  }
  await Promise.all(Array.from({ length: viewers }, follow))
  return ((reads() - before) * 60) / REST_SECONDS
}

/** The watcher's requests so far: the embedded service logs each at the level debug. */
function reads(): number {
  return desk.output().match(READS)?.length ?? 0
}

/** Asks as a browser does: compressed. */
async function ask(agent: Agent, etag?: string, wait = 25): Promise<Reply> {
  const began = performance.now()
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const headers = { "accept-encoding": "gzip", ...(etag !== undefined && { "if-none-match": etag }) }
  const query = etag === undefined ? "" : `?wait=${wait}`
  request(`${desk.url}/desk/waiting${query}`, { agent, headers }, (response) => {
    const chunks: Buffer[] = []
    response.on("data", (chunk: Buffer) => chunks.push(chunk))
    response.on("end", () => {
      const ms = performance.now() - began
      const body = Buffer.concat(chunks)
      const isCompressed = response.headers["content-encoding"] === "gzip"
      const { statusCode: status = 0, headers } = response
      resolve({
        status,
        etag: headers.etag ?? "",
        ms,
        body,
        text: () => (isCompressed ? gunzipSync(body) : body).toString(),
      })
    })
  })
    .on("error", reject)
    .end()
  return promise
}

async function processorSeconds(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  return Number(/^workdesk_process_cpu_seconds_total (\S+)/m.exec(text)?.[1])
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  server.close()
  await delay(10)
  return port
}

/** Open Works of which each waits for an approval, as the service itself would store them. */
function fill(data: string): void {
  const opened = openStore(data)
  const written = opened.store.effect(() => {
    for (let index = 0; index < WORKS; index++) {
      const at = 1.7e12 + index * 1_000
      opened.store.insert("work", {
        id: `work_${index}`,
        account: "sa_demo",
        owner: "owner_demo",
        colleague_id: "metronome",
        title: `Work ${index}`,
        objective: "Something to do. ".repeat(10),
        visibility_scope: "private",
        priority: "normal",
        // Its time is used up: no colleague works on it.
        status: "paused",
        version: 2,
        execution_limit_ms: 1_000,
        executed_ms: 1_000,
        created_at: at,
        updated_at: at,
      })
      opened.store.insert("approval", {
        id: `approval_${index}`,
        work_id: `work_${index}`,
        action_id: `action_${index}`,
        requested_by_colleague: "courier",
        summary: `Send letter ${index}`,
        risk: "low",
        destination: "post@example.com",
        subject: `Letter ${index}`,
        body: "A line of the letter. ".repeat(20),
        payload_hash: "sha256:0",
        policy_reason: "Every letter needs an approval",
        status: "pending",
        version: 1,
        created_at: at,
      })
    }
  })
  written.catch((error: unknown) => console.error(error))
  opened.close()
}
