/**
 * What one desk and two desks on one PostgreSQL serve, in one run: `node e2e/bench/replicas.bench.ts [seconds a measurement]`. The clients,
 * the upstream and PostgreSQL share the machine's cores with the desks: with few cores the processor time each is what tells.
 */
import { spawnSync } from "node:child_process"
import { PostgresServer } from "../../src/people/testing/postgres.ts"
import {
  creatingWork,
  endPrograms,
  measureEvents,
  measureRequests,
  processorTimeOfTree,
  type Program,
  readingWork,
  start,
} from "./load.ts"

const READERS = 50
const WRITERS = 16
const VIEWERS = 400
const ROUNDS = 3

type Row = { readonly perSecond: number; readonly desk: number; readonly database: number }
type Desks = readonly [Program, ...Program[]]

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

const lowest = (rows: readonly Row[]): Row => ({
  perSecond: Math.max(...rows.map((row) => row.perSecond)),
  desk: Math.min(...rows.map((row) => row.desk)),
  database: Math.min(...rows.map((row) => row.database)),
})

try {
  const upstream = await start("upstream")
  const DESK_DATABASE_URL = await postgres.newDatabase()
  const first = await start("ours, signed in", upstream, { DESK_DATABASE_URL })
  const session = `${first.cookie} ${first.person}`
  const second = await start("ours, signed in", upstream, { DESK_DATABASE_URL, BENCH_SESSION: session })
  const kinds: readonly [name: string, measure: (desks: Desks) => Promise<Row>][] = [
    ["read", (desks) => withDatabase(() => measureRequests(desks, READERS, readingWork))],
    ["mutation, two rows each", (desks) => withDatabase(() => measureRequests(desks, WRITERS, creatingWork))],
    // As behind the balancer: all viewers of a Work are at one desk.
    [
      "delivered event",
      (desks) => withDatabase(() => measureEvents(desks, upstream, VIEWERS, (viewer) => `work-${viewer % 2}`)),
    ],
  ]
  const table: Record<string, Record<string, string>> = {}
  for (const [name, measure] of kinds) {
    const rounds: { one: Row; two: Row }[] = []
    for (let round = 0; round < ROUNDS; round++)
      rounds.push({ one: await measure([first]), two: await measure([first, second]) })
    const one = lowest(rounds.map((round) => round.one))
    const two = lowest(rounds.map((round) => round.two))
    for (const [desks, row] of [
      ["one desk", one],
      ["two desks", two],
    ] as const) {
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
  endPrograms()
  await postgres.stop()
}
