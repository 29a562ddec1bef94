import { describe, expect, test } from "vitest"
import { asCaller, callerKey, EventLoopShare, nameCaller, WAITING_MAX } from "./event-loop-share.ts"
import { sqliteForTest } from "./testing/stores.ts"

/** More calls than any program makes before the event loop turns. Without a turn, a loop without this limit would never end. */
const MANY = 200_000

/** Reads for longer than a portion of the event loop. */
const SLOW = `WITH RECURSIVE numbers (one) AS (SELECT 1 UNION ALL SELECT one + 1 FROM numbers WHERE one < 100000)
  SELECT max(one) AS most FROM numbers`

describe("SQLite", () => {
  test.each(["read", "write"] as const)("lets the event loop turn during a loop of %ss", async (kind) => {
    const database = await sqliteForTest()
    const sql = kind === "read" ? "SELECT 1 AS one" : "UPDATE saved_views SET views = '' WHERE person_id = 'nobody'"
    expect(await turnsDuring(() => database[kind](sql))).toBe(true)
  })

  test("lets the event loop turn during a transaction", async () => {
    const database = await sqliteForTest()
    const turned = database.transaction("views", ({ read }) => turnsDuring(() => read("SELECT 1 AS one")))
    expect(await turned).toBe(true)
  })

  test("lets the event loop turn when many read at once", async () => {
    const database = await sqliteForTest()
    const readers = Array.from({ length: 30 }, () => turnsDuring(() => database.read("SELECT 1 AS one"), MANY / 30))
    expect(await Promise.all(readers)).not.toContain(false)
  })

  test("a person's read doesn't wait for all the reads of another person", async () => {
    const database = await sqliteForTest()
    let finished = 0
    const readSlowly = async () => {
      await database.read(SLOW)
      finished++
    }
    const others = Array.from({ length: 50 }, () => readAs("ada", readSlowly))
    await readAs("ben", () => database.read("SELECT 1 AS one"))
    // The one that ran at once, and one turn of Ada's each before and after Ben's.
    expect(finished).toBeLessThanOrEqual(3)
    await Promise.all(others)
  })
})

test("each of many requests at once is a caller of its own", async () => {
  const share = new EventLoopShare(0)
  const people = Array.from({ length: 50 }, (_, index) => `person ${index}`)
  const named: string[] = []
  for (const person of people)
    share.begin(
      () => {
        nameCaller(person)
        setImmediate(() => named.push(callerKey()))
      },
      () => person,
    )
  await expect.poll(() => named.length).toBe(people.length)
  expect(named).toEqual(people)
})

test("a request that comes while too many wait passes none of them by", async () => {
  const share = new EventLoopShare(0)
  const started: string[] = []
  const begin = (name: string, sender: string) =>
    share.begin(
      () => void started.push(name),
      () => sender,
    )
  for (let count = 0; count < WAITING_MAX; count++) begin(`early ${count}`, "ada")
  begin("ben's", "ben")
  for (let count = 0; count < 10; count++) begin(`late ${count}`, "ada")
  expect(started.filter((name) => name.startsWith("late"))).toEqual([])
  expect(started).toContain("ben's")
  await expect.poll(() => started.length).toBe(WAITING_MAX + 11)
})

const readAs = (person: string, read: () => Promise<unknown>) =>
  asCaller(() => {
    nameCaller(person)
    return read()
  })

/** Whether the event loop turned before `call` was called very often. */
async function turnsDuring(call: () => Promise<unknown>, most = MANY): Promise<boolean> {
  const turned = new AbortController()
  setTimeout(() => turned.abort())
  for (let count = 0; count < most && !turned.signal.aborted; count++) await call()
  return turned.signal.aborted
}
