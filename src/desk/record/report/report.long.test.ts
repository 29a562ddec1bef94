import { expect, test } from "vitest"
import { readsCounted, sqliteForTest } from "../../store/testing/stores.ts"
import { inRecord } from "../hash-chain.ts"
import { DecidingDesk } from "../testing/deciding.ts"

const DECISIONS = 4_000
const PER_TRANSACTION = 1_000

// `npm run bench` has the milliseconds and the memory.
test(
  "a long report is written in parts as small as those of the export, and with no more statements than the export and the verification",
  { timeout: 120_000 },
  async () => {
    const counted = readsCounted(await sqliteForTest())
    const desk = new DecidingDesk(counted.database)
    for (let start = 0; start < DECISIONS; start += PER_TRANSACTION) {
      await inRecord({ database: counted.database, onStored: () => undefined }, async ({ append }) => {
        for (let number = start; number < start + PER_TRANSACTION; number++) {
          const { sequence: intent } = await append({
            kind: "intent",
            person: `person_${number % 7}`,
            roles: ["approver"],
            operation: "resolveWorkApproval",
            work_id: `work_${number}`,
            item_id: `approval_${number}`,
            decision: "approve",
            summary: "Send the profile",
            request_id: "r",
            key_hash: String(number),
            input_hash: "i",
          })
          await append({ kind: "outcome", intent, outcome: "recorded", status: 200 })
        }
      })
    }
    const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
    const read = async (parts: AsyncIterable<string>) => {
      counted.reads.splice(0)
      let [longest, lines] = [0, 0]
      for await (const part of parts) {
        longest = Math.max(longest, part.length)
        lines += part.split("\n").length - 1
      }
      return { longest, lines, reads: counted.reads.length }
    }
    const exported = await read(await desk.record.lines(""))
    expect(exported.lines).toBe(DECISIONS)
    const verifying = (2 * DECISIONS) / 100
    for (const format of ["csv", "html"]) {
      const { parts } = await desk.record.report(`from=${day(-1)}&to=${day(1)}&format=${format}`)
      const report = await read(parts)
      expect(report.lines).toBeGreaterThan(DECISIONS)
      expect(report.longest).toBeLessThan(2 * exported.longest)
      expect(report.reads).toBeLessThan(1.2 * (exported.reads + verifying))
    }
  },
)
