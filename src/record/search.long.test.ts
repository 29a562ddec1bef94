import { monitorEventLoopDelay } from "node:perf_hooks"
import { expect, test } from "vitest"
import { sqliteForTest } from "../store/testing/stores.ts"
import { readEntries } from "./entries.ts"
import { append } from "./hash-chain.ts"
import { FROM_THE_END } from "./query.ts"
import type { IntentRow, OutcomeRow } from "./rows.ts"

const DECISIONS = 100_000
const PER_TRANSACTION = 5_000

test("a search of 100,000 decisions for what is rare keeps nobody waiting", { timeout: 300_000 }, async () => {
  const database = await sqliteForTest()
  for (let start = 0; start < DECISIONS; start += PER_TRANSACTION) {
    const rows = Array.from({ length: PER_TRANSACTION }, (_, index) => rowsOf(start + index)).flat()
    await database.transaction("record", async (statements) => {
      for (const row of rows) await append(statements, row)
    })
  }
  const figures: string[] = []
  for (const filter of [
    {},
    { outcome: "refused" },
    { outcome: "unknown" },
    { outcome: "recorded" },
    { outcome: "refused", person: "person_3" },
    { operation: "createWork" },
    { person: "nobody" },
    { work: "work_77" },
  ]) {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const began = performance.now()
    await readEntries(database, filter, FROM_THE_END, 50)
    const took = performance.now() - began
    // The histogram takes its sample in the next turn.
    await new Promise(setImmediate)
    delay.disable()
    const longest = delay.max / 1e6
    figures.push(`${JSON.stringify(filter)}: ${took.toFixed(0)} ms, at most ${longest.toFixed(0)} ms without a pause`)
    expect(longest, JSON.stringify(filter)).toBeLessThan(100)
    expect(took, JSON.stringify(filter)).toBeLessThan(1_500)
  }
  console.log(figures.join("\n"))
})

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
