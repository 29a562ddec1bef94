/** Kills the archive of the record at many moments: either all rows are in the store, or the file and the checkpoint have them. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { expect, test } from "vitest"
import { verifyFile } from "../desk/record/record-archive.ts"
import { inRecord, readCheckpoints } from "../desk/record/hash-chain.ts"
import { verify } from "../desk/record/chain-verification.ts"
import type { IntentRow } from "../desk/record/record-rows.ts"
import { databaseForTest, folderForTest } from "../desk/store/testing/stores.ts"

const ROUNDS = 8
const INTENTS = 4_000

const intentOf = (number: number): IntentRow => ({
  kind: "intent",
  person: "ada",
  roles: ["approver"],
  operation: "resolveWorkApproval",
  work_id: `work_${number}`,
  item_id: `approval_${number}`,
  decision: "approve",
  request_id: `request ${number}`,
  key_hash: String(number).padStart(64, "0"),
  input_hash: String(number).padStart(64, "1"),
})

test(`SIGKILL at ${ROUNDS} moments of an archive leaves the old or the new`, async () => {
  const dataFolder = await folderForTest()
  const database = await databaseForTest({ dataFolder, databaseUrl: undefined })
  await inRecord({ database, onStored: () => undefined }, async ({ append }) => {
    for (let number = 1; number <= INTENTS; number++) {
      const intent = await append(intentOf(number))
      await append({ kind: "outcome", intent: intent.sequence, outcome: "recorded" })
    }
  })
  const run = (file: string) =>
    spawn(process.execPath, [join(import.meta.dirname, "record.ts"), "archive", file, "--before", "2999-01-01"], {
      env: { DATA_DIR: dataFolder },
      stdio: "ignore",
    })
  const began = performance.now()
  const whole = join(dataFolder, "whole.jsonl")
  await once(run(whole), "exit")
  const took = performance.now() - began
  expect((await verifyFile(whole, await readCheckpoints(database))).faults).toEqual([])
  let archived = 0
  for (let round = 1; round <= ROUNDS; round++) {
    const base = INTENTS * 2 + round * 1_000_000
    const before = await verify(database)
    await inRecord({ database, onStored: () => undefined }, async ({ append }) => {
      for (let number = 0; number < INTENTS; number++) {
        const intent = await append(intentOf(base + number))
        await append({ kind: "outcome", intent: intent.sequence, outcome: "recorded" })
      }
    })
    const file = join(dataFolder, `${round}.jsonl`)
    const child = run(file)
    const ended = once(child, "exit")
    // Each round that leaves all rows has more to archive than the one before.
    await delay((took * 4 * round) / ROUNDS)
    child.kill("SIGKILL")
    await ended
    const after = await verify(database)
    expect(after.faults).toEqual([])
    const checkpoints = await readCheckpoints(database)
    const isOld = after.rows === before.rows + INTENTS * 2
    if (!isOld) {
      // The row that names the checkpoint.
      expect(after.rows).toBe(1)
      expect((await verifyFile(file, checkpoints)).faults).toEqual([])
      expect((await readFile(file, "utf8")).trimEnd().split("\n")).toHaveLength(before.rows + INTENTS * 2)
      archived++
    }
  }
  console.log(
    `archive killed ${ROUNDS} times within ${took.toFixed(0)} ms: ${archived} had the checkpoint, the others all rows`,
  )
}, 300_000)
