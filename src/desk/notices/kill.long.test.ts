import { expect, onTestFinished, test } from "vitest"
import { PostgresServer } from "../store/testing/postgres.ts"
import { killRounds } from "./testing/kill-rounds.ts"

const HOUR_MS = 3_600_000

test("fifty SIGKILLs of a desk with SQLite: 500 items are told to 20 people once", { timeout: HOUR_MS }, async () => {
  await killRounds({ desks: 1, kills: 50, items: 500, people: 20, longestMs: 4_000 })
})

test(
  "fifty SIGKILLs of two desks with PostgreSQL: 500 items are told to 20 people once",
  { timeout: HOUR_MS },
  async () => {
    const server = await PostgresServer.start()
    onTestFinished(() => server.stop())
    const databaseUrl = await server.newDatabase()
    expect(databaseUrl).not.toBe("")
    await killRounds({ desks: 2, kills: 50, items: 500, people: 20, longestMs: 4_000, databaseUrl })
  },
)
