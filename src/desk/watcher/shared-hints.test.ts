/** Hints between two desks, through a real PostgreSQL. */
import { expect, onTestFinished, test } from "vitest"
import { StoreUnavailableError } from "../store/database.ts"
import { PostgresServer } from "../store/testing/postgres.ts"
import { changedDatabase, databaseForTest } from "../store/testing/stores.ts"
import { type Hints, SharedHints } from "./shared-hints.ts"
import { range } from "./testing/simulation.ts"

/** Two desks, and what the watcher of the second hears. `publish` fails while `isAway` is true. */
async function twoDesks() {
  const server = await PostgresServer.start()
  onTestFinished(() => server.stop())
  const store = { dataFolder: "/unused", databaseUrl: await server.newDatabase() }
  const [database, other] = [await databaseForTest(store), await databaseForTest(store)]
  const heard = { works: new Set<string>(), lists: 0, decided: 0 }
  const control = { isAway: false }
  const publish: typeof database.publish = (topic, message) =>
    control.isAway ? Promise.reject(new StoreUnavailableError("away", "timeout")) : database.publish(topic, message)
  const silent: Hints = { hint: () => undefined, hintList: () => undefined, decided: () => undefined }
  const hears: Hints = {
    hint: (id) => void heard.works.add(id),
    hintList: () => void heard.lists++,
    decided: () => void heard.decided++,
  }
  const hints = new SharedHints(changedDatabase(database, { publish }), silent)
  const others = new SharedHints(other, hears)
  onTestFinished(() => [hints, others].forEach((each) => each.stop()))
  // The first message may come before the other desk listens.
  const isListening = async () => {
    hints.decided({ kind: "approval", workId: "w", itemId: "a" })
    return heard.decided
  }
  await expect.poll(isListening).toBeGreaterThan(0)
  return { hints, heard, control }
}

test("many hints at once all reach the other desk, however long their ids are in a message", async () => {
  const { hints, heard } = await twoDesks()
  const ids = range(60).map((index) => `${index}`.padEnd(100, '"'))
  for (const id of ids) hints.hint(id)
  await expect.poll(() => [...heard.works].sort()).toEqual(ids.sort())
})

test("after hints that could not be sent, the other desk reads the list", async () => {
  const { hints, heard, control } = await twoDesks()
  const { lists } = heard
  control.isAway = true
  hints.decided({ kind: "approval", workId: "w", itemId: "a" })
  control.isAway = false
  await expect.poll(() => (hints.hint("later"), heard.works.has("later"))).toBe(true)
  expect(heard.lists).toBe(lists + 1)
})
