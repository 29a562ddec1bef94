/**
 * What the watcher and `/desk/waiting` cost in real time (`npm run bench`), at a desk with its embedded service and the default quota. Measures
 * the seconds and requests until every Work is checked, the requests a minute at rest with one viewer and with a hundred, and what a
 * hundred answers at once cost.
 *
 *     node e2e/bench/waiting-desk.bench.ts 5000    # the number of open Works; 500 without the argument
 */
import { Agent, request } from "node:http"
import { gunzipSync } from "node:zlib"
import { startDeskWithApprovals } from "./desk-with-approvals.ts"
import { median } from "./load/figures.ts"
import { processorTime } from "./load/usage.ts"

const WORKS = Number(process.argv[2] ?? 500)
const VIEWERS = 100
const REST_SECONDS = 30
const READS = /"operation":"(?:listWork|getWork|listWorkApprovals|listWorkAttention)"/g

const desk = await startDeskWithApprovals(WORKS, { LOG_LEVEL: "debug" })
const pids = [desk.process.pid ?? 0]

try {
  await measure()
} finally {
  await desk.stop()
}

type Reply = {
  readonly status: number
  readonly etag: string
  readonly ms: number
  /** Compressed, as the desk sent it. */
  readonly body: Buffer
  readonly text: () => string
}

async function measure(): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const began = performance.now()
  let first = Number.NaN
  let last = await readWaiting(agent)
  while (!last.text().includes('"complete":true')) {
    if (Number.isNaN(first) && last.text().includes('"item"')) first = (performance.now() - began) / 1_000
    const next = await readWaiting(agent, last.etag)
    if (next.status === 200) last = next
  }
  const seconds = (performance.now() - began) / 1_000
  const requests = reads()
  const processor = processorTime(pids) / 1_000_000
  const one = await requestsAMinute(agent, 1, last.etag)
  const many = await requestsAMinute(agent, VIEWERS, last.etag)
  console.log(
    "\n| open Works | requests | first item, s | last item, s | processor, s | requests a minute at rest | the same with 100 viewers |",
  )
  console.log("|---:|---:|---:|---:|---:|---:|---:|")
  const figures = [first.toFixed(2), seconds.toFixed(1), processor.toFixed(1), one.toFixed(0), many.toFixed(0)]
  console.log(`| ${[WORKS, requests, ...figures].join(" | ")} |`)

  console.log(
    "\n| viewers at once | bytes of an answer | median ms | greatest ms | processor ms an answer |\n|---:|---:|---:|---:|---:|",
  )
  for (const viewers of [1, 2, 10, VIEWERS]) {
    const rounds = 10
    const times: number[] = []
    const processorBefore = processorTime(pids)
    for (let round = 0; round < rounds; round++) {
      const answers = await Promise.all(Array.from({ length: viewers }, () => readWaiting(agent)))
      times.push(...answers.map(({ ms }) => ms))
    }
    const cost = (processorTime(pids) - processorBefore) / 1_000 / rounds / viewers
    const figures = [median(times).toFixed(1), Math.max(...times).toFixed(1), cost.toFixed(2)]
    console.log(`| ${[viewers, last.body.length, ...figures].join(" | ")} |`)
  }
}

/** Requests that the watcher sends to the service in a minute while so many viewers follow `/desk/waiting`. */
async function requestsAMinute(agent: Agent, viewers: number, etag: string): Promise<number> {
  const until = performance.now() + REST_SECONDS * 1_000
  const before = reads()
  const follow = async () => {
    for (let tag = etag; performance.now() < until;) tag = (await readWaiting(agent, tag, 5)).etag
  }
  await Promise.all(Array.from({ length: viewers }, follow))
  return ((reads() - before) * 60) / REST_SECONDS
}

/** The watcher's requests so far. The embedded service logs each request at the level debug. */
function reads(): number {
  return desk.output().match(READS)?.length ?? 0
}

/** Requests `/desk/waiting` compressed, as a browser does. */
async function readWaiting(agent: Agent, etag?: string, wait = 25): Promise<Reply> {
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
