import { expect, test } from "vitest"
import { readsCounted, sqliteForTest } from "../store/testing/stores.ts"
import { readEntries } from "./entries.ts"
import { inRecord } from "./hash-chain.ts"
import { FROM_THE_END } from "./record-query.ts"
import type { IntentRow, OutcomeRow } from "./record-rows.ts"

const DECISIONS = 30_000
const PER_TRANSACTION = 5_000

// `npm run bench` has the milliseconds.
test(
  "a search for what is rare looks at 5,000 rows with each statement, so that none blocks the event loop for long",
  { timeout: 120_000 },
  async () => {
    const database = await sqliteForTest()
    for (let start = 0; start < DECISIONS; start += PER_TRANSACTION) {
      const rows = Array.from({ length: PER_TRANSACTION }, (_, index) => rowsOf(start + index)).flat()
      await inRecord({ database, onStored: () => undefined }, async ({ append }) => {
        for (const row of rows) await append(row)
      })
    }
    for (const [filter, found] of [
      [{ outcome: "refused" }, 3],
      [{ outcome: "unknown" }, 0],
      [{ outcome: "refused", person: "person_4" }, 3],
      [{ operation: "createWork" }, 0],
      [{ person: "nobody" }, 0],
      [{ work: "work_77" }, 1],
    ] as const) {
      const counted = readsCounted(database)
      const { entries } = await readEntries(counted.database, filter, FROM_THE_END, 50)
      expect(entries).toHaveLength(found)
      expect(counted.reads.length, JSON.stringify(filter)).toBeGreaterThanOrEqual((2 * DECISIONS) / 5_000)
    }
  },
)

/** A decision with its outcome: every ten-thousandth is refused. */
function rowsOf(index: number): readonly (IntentRow | OutcomeRow)[] {
  const sequence = 2 * index + 1
  const intent: IntentRow = {
    kind: "intent",
    person: `person_${index % 5}`,
    roles: ["reader", "approver"],
    operation: "resolveWorkApproval",
    work_id: `work_${index}`,
    item_id: `approval_${index}`,
    decision: "approve",
    version: 1n,
    summary: "Send the letter of October to the bank",
    destination: "payments@bank.example",
    subject: "Profile of october.csv",
    content_hash: `sha256:${"a".repeat(64)}`,
    payload_hash: `sha256:${"b".repeat(64)}`,
    body_hash: `sha256:${"c".repeat(64)}`,
    request_id: `request-${index}`,
    key_hash: `${index}`.padStart(64, "0"),
    input_hash: `${index}`.padStart(64, "1"),
  }
  const outcome = index % 10_000 === 9_999 ? "refused" : "recorded"
  return [intent, { kind: "outcome", intent: sequence, outcome, status: outcome === "refused" ? 409 : 200 }]
}
