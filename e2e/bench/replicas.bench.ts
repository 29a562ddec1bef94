/**
 * What one desk and two desks on one PostgreSQL serve: `node e2e/bench/replicas.bench.ts [seconds a measurement]`. The clients, the upstream and
 * PostgreSQL share the processors with the desks. With few processors the second desk shows in the processor time of each request, not in
 * the requests a second.
 */
import { spawnSync } from "node:child_process"
import { PostgresServer } from "../../src/desk/store/testing/postgres.ts"
import { sendRequests } from "./load/connections.ts"
import { secondsAsked } from "./load/figures.ts"
import { endPrograms, start, type Programs } from "./load/program.ts"
import { createWork, readWork } from "./load/requests.ts"
import { processorTimeOfTree } from "./load/usage.ts"
import { deliverEvents } from "./load/viewers.ts"

const READERS = 50
const WRITERS = 16
const VIEWERS = 400
const ROUNDS = 3
const forMs = secondsAsked() * 1_000

/** Deliveries or answers a second, and processor time for each in microseconds. */
type Row = { readonly perSecond: number; readonly desk: number; readonly database: number }

const postgres = await PostgresServer.start()
const [postmaster = ""] = spawnSync("pgrep", ["-f", postgres.folder], { encoding: "utf8" }).stdout.split("\n")

/** Adds PostgreSQL's processor time. */
async function withDatabase(measure: () => Promise<{ perSecond: number; processor: number }>): Promise<Row> {
  const before = processorTimeOfTree(Number(postmaster))
  const began = performance.now()
  const { perSecond, processor } = await measure()
  const count = (perSecond * (performance.now() - began)) / 1_000
  return { perSecond, desk: processor, database: (processorTimeOfTree(Number(postmaster)) - before) / count }
}

/** Other programs can only make a round worse. */
function best(rows: readonly Row[]): Row {
  return {
    perSecond: Math.max(...rows.map((row) => row.perSecond)),
    desk: Math.min(...rows.map((row) => row.desk)),
    database: Math.min(...rows.map((row) => row.database)),
  }
}

try {
  const upstream = await start("upstream")
  const DESK_DATABASE_URL = await postgres.newDatabase()
  const first = await start("Workdesk with sign-in", upstream, { DESK_DATABASE_URL })
  const BENCH_SESSION = `${first.session?.cookie} ${first.session?.person}`
  const second = await start("Workdesk with sign-in", upstream, { DESK_DATABASE_URL, BENCH_SESSION })
  // A balancer sends all viewers of a Work to one desk.
  const workOf = (viewer: number) => `work-${viewer % 2}`
  const kinds: Readonly<Record<string, (desks: Programs) => Promise<{ perSecond: number; processor: number }>>> = {
    read: (desks) => sendRequests(desks, { connections: READERS, forMs, requestsOf: readWork }),
    "mutation, two rows each": (desks) => sendRequests(desks, { connections: WRITERS, forMs, requestsOf: createWork }),
    "delivered event": (desks) =>
      deliverEvents(desks, { upstream, viewers: VIEWERS, workOf, rounds: 1, roundMs: forMs }),
  }
  const table: Record<string, Record<string, string>> = {}
  for (const [name, measure] of Object.entries(kinds)) {
    const rounds: { one: Row; two: Row }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const one = await withDatabase(() => measure([first]))
      rounds.push({ one, two: await withDatabase(() => measure([first, second])) })
    }
    const one = best(rounds.map((round) => round.one))
    const two = best(rounds.map((round) => round.two))
    for (const [desks, row] of Object.entries({ "one desk": one, "two desks": two })) {
      table[`${name}, ${desks}`] = {
        "a second": row.perSecond.toFixed(0),
        "of one desk": `${(row.perSecond / one.perSecond).toFixed(2)}×`,
        "desks' processor each": `${row.desk.toFixed(1)} µs`,
        "of one desk's": `${(row.desk / one.desk).toFixed(2)}×`,
        "PostgreSQL's processor each": `${row.database.toFixed(1)} µs`,
      }
    }
  }
  console.log(
    `\nOne desk and two desks, the best of ${ROUNDS} rounds: ${READERS} readers, ${WRITERS} writers, ${VIEWERS} viewers of two Works`,
  )
  console.table(table)
} finally {
  await endPrograms()
  await postgres.stop()
}
