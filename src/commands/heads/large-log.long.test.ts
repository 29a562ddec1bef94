import { createWriteStream } from "node:fs"
import { once } from "node:events"
import { join } from "node:path"
import { expect, test } from "vitest"
import { freeze, operator } from "../../desk/record/freezes.ts"
import { readHead } from "../../desk/record/hash-chain.ts"
import { formatHeadText } from "../../desk/record/heads/head-note.ts"
import { openRecordKey, readKey, readKeyPlace } from "../../desk/record/heads/record-key.ts"
import { signNote } from "../../desk/record/heads/signed-note.ts"
import { databaseForTest, folderForTest } from "../../desk/store/testing/stores.ts"
import { runOnStore } from "../testing/run-command.ts"

const BLOCKS = 240
const BLOCK = `${JSON.stringify({ level: "info", operation: "listWork", status: 200, message: "request" })}\n`.repeat(
  10_000,
)
/** A head in each so many blocks, and after them one line without an end. */
const HEADS_APART = 4

test("the heads in a log of hundreds of megabytes are compared by a process with little memory", async () => {
  const where = { dataFolder: await folderForTest(), databaseUrl: undefined }
  const database = await databaseForTest(where)
  const place = readKeyPlace({}, where)
  await openRecordKey(database, place, "workdesk-local")
  const key = await readKey(database, place)
  const log = join(where.dataFolder, "log")
  const file = createWriteStream(log)
  for (let block = 0; block < BLOCKS; block++) {
    if (block % HEADS_APART === 0) {
      await freeze({ database }, operator, { colleague: null, reason: `${block}` }, `request ${block}`)
      const text = formatHeadText("workdesk-local", await readHead(database), Date.now())
      const note = signNote(text, "workdesk-local", key)
      file.write(`${JSON.stringify({ level: "info", note, message: "record head" })}\n`)
    }
    if (!file.write(BLOCK)) await once(file, "drain")
  }
  file.end("x".repeat(50_000_000))
  await once(file, "finish")
  expect(file.bytesWritten).toBeGreaterThan(200_000_000)
  const heads = BLOCKS / HEADS_APART
  const verified = await runOnStore("record", where, ["verify", "--heads", log], {
    NODE_OPTIONS: "--max-old-space-size=32 --max-semi-space-size=2",
  })
  expect(verified).toMatchObject({ code: 0, stderr: "" })
  expect(verified.stdout).toContain("1 line longer than 65,536 bytes not read.")
  expect(verified.stdout).toContain(`${heads} heads found in the record, signed by its key.`)
}, 120_000)
