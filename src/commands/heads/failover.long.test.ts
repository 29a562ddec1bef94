import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { expect, onTestFinished, test } from "vitest"
import { databaseForTest, folderForTest } from "../../desk/store/testing/stores.ts"
import { PostgresServer } from "../../desk/store/testing/postgres.ts"
import { KEYS, startReceiver } from "../../desk/testing/notices.ts"
import { startDeskProcess } from "../testing/desk-process.ts"
import { runOnStore } from "../testing/run-command.ts"

const ROUNDS = 4
const TIMEOUT_MS = 180_000

test(
  "no head of a freeze is lost when desks are killed right after it, and the kept heads confirm the record",
  async () => {
    const server = await PostgresServer.start()
    onTestFinished(() => server.stop())
    const where = { dataFolder: "/unused", databaseUrl: await server.newSchema() }
    const { url, received } = await startReceiver()
    const start = async () =>
      startDeskProcess({
        DATA_DIR: await folderForTest(),
        DESK_DATABASE_URL: where.databaseUrl,
        RECORD_HEADS_URL: url,
        RECORD_HEADS_SECRET: KEYS[0],
      })
    let desks = [await start(), await start()]
    const database = await databaseForTest(where)
    const isReceived = (sequence: number) => received.some(({ event }) => Number(event.data["sequence"]) >= sequence)
    for (let round = 1; round <= ROUNDS; round++) {
      const frozen = await runOnStore("freeze", where, ["on", `round ${round}`])
      expect(frozen).toMatchObject({ code: 0 })
      // At another step in each round: before a desk has looked, while it signs and sends, and afterwards.
      await delay((round - 1) * 700)
      const [killed, ...others] = round % 2 === 0 ? desks.toReversed() : desks
      await killed?.end("SIGKILL")
      // The lease of a desk that was killed ends after 30 s.
      await database.write("UPDATE lease SET expires_at = 0")
      desks = [...others, await start()]
      await expect.poll(() => isReceived(2 * round), { timeout: 30_000 }).toBe(true)
    }
    for (const desk of desks) await desk.end("SIGTERM")
    const notes = await database.read("SELECT note, sent_at FROM record_head")
    expect(notes.filter((row) => row["sent_at"] === null)).toEqual([])
    const stored = new Set(notes.map(({ note }) => note))
    expect(new Set(received.map(({ event }) => event.data["note"]))).toEqual(stored)
    expect(await database.read("SELECT number FROM record_key")).toHaveLength(1)

    const file = join(await folderForTest(), "kept-heads.txt")
    await writeFile(file, received.map(({ body }) => `${body}\n`).join(""))
    expect(await runOnStore("record", where, ["verify", "--heads", file])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Nothing up to row ${2 * ROUNDS} has changed`) as string,
    })
  },
  TIMEOUT_MS,
)
