/**
 * How long `/desk/health` takes while the embedded colleagues work on inputs that are made to be slow, and how many Works a second the
 * colleagues finish. Argument: the number of rounds. The quietest round of each input counts, because other programs and the disk can only
 * make an answer later. The environment variable DESK_TREE names another checkout of the repository, which is then measured instead.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { SLOW_INPUTS, type SlowInput } from "./slow-inputs.ts"
import { delegate } from "./bench-work.ts"
import { Owner } from "../../src/demo/owner.ts"
import { member } from "../../src/service/testing/client.ts"

const TREE = process.env["DESK_TREE"] ?? join(import.meta.dirname, "../..")
const BOUND_MS = 50
const ROUNDS = Number(process.argv[2] ?? 3)
const LONGEST_WORK_MS = 60_000
const WORKS = 60

const folder = await mkdtemp(join(tmpdir(), "workdesk-bench-"))
const configFile = join(folder, "service.json")
await writeFile(configFile, JSON.stringify({ pace: 0, limits: { readPerMinute: 1e6, writePerMinute: 1e6 } }))
const probe = new URL("main-thread-probe.ts", import.meta.url).href
const child = spawn(process.execPath, ["--import", probe, join(TREE, "src/server.ts")], {
  env: { PATH: process.env["PATH"], PORT: "0", DATA_DIR: join(folder, "data"), SERVICE_CONFIG: configFile },
  stdio: ["ignore", "pipe", "inherit", "ipc"],
})
try {
  const base = await address()
  await measureThroughput(base)
  await measureHealth(base)
} finally {
  child.kill("SIGKILL")
  await rm(folder, { recursive: true, force: true })
}

async function measureHealth(base: string): Promise<void> {
  console.log(
    "\n| | longest turn of the main thread, processor ms | longest `/desk/health`, ms | until its question, ms |",
  )
  console.log("|---|---:|---:|---:|")
  await report(base, "nothing", () => sleep(2000))
  for (const input of SLOW_INPUTS) await report(base, input.name, () => untilAsked(base, input))
  await report(base, "all of them at once", async () => {
    await Promise.all(SLOW_INPUTS.map((input) => untilAsked(base, input)))
  })
}

async function report(base: string, name: string, work: () => Promise<void>): Promise<void> {
  const rounds: Round[] = []
  while (rounds.length < ROUNDS) rounds.push(await measure(base, work))
  const [turn, health, took] = [quietest(rounds, "turn"), quietest(rounds, "health"), quietest(rounds, "took")]
  const mark = health > BOUND_MS ? " (over the bound)" : ""
  console.log(`| ${name} | ${turn.toFixed(0)} | ${health.toFixed(0)}${mark} | ${took.toFixed(0)} |`)
}

/** In milliseconds: the longest turn of the desk's main thread, the latest answer of `/desk/health`, and the duration of the work. */
type Round = { readonly turn: number; readonly health: number; readonly took: number }

async function measure(base: string, work: () => Promise<void>): Promise<Round> {
  const probe = new Worker(new URL("health-probe.ts", import.meta.url), { workerData: base })
  await once(probe, "message")
  await longestTurn()
  const begun = performance.now()
  await work()
  const took = performance.now() - begun
  const turn = await longestTurn()
  const ended = once(probe, "message")
  probe.postMessage("end")
  const [waits]: unknown[] = await ended
  return { turn, health: Math.max(...(Array.isArray(waits) ? waits.map(Number) : [])), took }
}

function quietest(rounds: readonly Round[], figure: keyof Round): number {
  return Math.min(...rounds.map((round) => round[figure]))
}

/** The longest turn of the desk's main thread since the last call. */
async function longestTurn(): Promise<number> {
  const told = once(child, "message")
  child.send("longest")
  const [message]: unknown[] = await told
  return Number(member(message, "longest"))
}

async function untilAsked(base: string, input: SlowInput): Promise<void> {
  const owner = new Owner(base)
  const id = await delegate(owner, input)
  const end = performance.now() + LONGEST_WORK_MS
  while (performance.now() < end) {
    // A desk whose main thread was blocked for long closes kept-alive connections, or answers 504.
    const found = await owner.client.GET("/api/v1/work/{id}", { params: { path: { id } } }).catch(() => undefined)
    if (found?.data !== undefined && found.data.status !== "working") return
    await sleep(20)
  }
}

async function measureThroughput(base: string): Promise<void> {
  const rows = Array.from({ length: 2000 }, (_, index) => `${index},${"abc"[index % 3]},${index % 17}`)
  const content = `id,kind,size\n${rows.join("\n")}\n`
  const owner = new Owner(base)
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: WORKS }, async () => {
      const id = await delegate(owner, { colleague: "analyst", mediaType: "text/csv", content })
      await owner.answer(id, "kind")
      await owner.decide(id, { decision: "approve" })
      await owner.waitForStatus(id, "done")
    }),
  )
  const seconds = (performance.now() - begun) / 1000
  console.log(
    `\n${WORKS} Works of 2,000 rows, from the upload to the sent letter: ${(WORKS / seconds).toFixed(1)} a second`,
  )
}

async function address(): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let output = ""
  child.stdout?.on("data", (piece) => {
    output += String(piece)
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]
    if (found !== undefined) resolve(found)
  })
  child.once("exit", () => reject(new Error(`the desk ended: ${output}`)))
  return promise
}
