/**
 * What "Before you decide" costs beside 200,000 known approvals: the longest turn of the event loop while they are loaded, and in three
 * questions at once. One approval in two went to one address, the others to an address each. The store is SQLite on this disk.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buildContext } from "../../src/context/build-context.ts"
import { Decisions } from "../../src/context/decisions.ts"
import { KnownApprovalStore } from "../../src/context/known-approval-store.ts"
import { IN_MEMORY_MAX, KnownApprovals } from "../../src/context/known-approvals.ts"
import { longestBlock } from "../../src/platform/testing/longest-block.ts"
import { openDatabase } from "../../src/store/open.ts"
import { readApprovalList } from "../../src/waiting/resources.ts"
import { fakeApproval, range } from "../../src/waiting/testing/simulation.ts"

const folder = await mkdtemp(join(tmpdir(), "workdesk-bench-"))
try {
  const store = new KnownApprovalStore(await openDatabase({ dataFolder: folder, databaseUrl: undefined }))
  const resolvedAt = new Date().toISOString()
  await store.save(
    range(IN_MEMORY_MAX).map((index) => ({
      workId: `work-${index}`,
      approvalId: "a",
      destination: index % 2 === 0 ? `payments@supplier${index}.example` : "payments@halden.example",
      colleague: "analyst",
      status: "approved",
      createdAt: resolvedAt,
      resolvedAt,
      knownAt: Date.parse(resolvedAt),
    })),
  )
  const known = new KnownApprovals(store)
  console.log(`\n| ${IN_MEMORY_MAX} known approvals | longest turn, ms | processor time, ms |`)
  console.log("|---|---:|---:|")
  const report = async (name: string, work: () => Promise<unknown>) => {
    const { longest, total } = await longestBlock(work)
    console.log(`| ${name} | ${longest.toFixed(0)} | ${total.toFixed(0)} |`)
  }
  await report("loaded at the start", () => known.load())
  const everything = { works: [], sees: () => true, isComplete: true }
  for (const destination of ["payments@halden.example", "payments@haldon.example", "new@other.example"]) {
    const [asked] = readApprovalList(JSON.stringify({ data: [fakeApproval("asked", { destination })] }))
    if (asked === undefined) throw new Error("no approval")
    const ask = () => buildContext("asking", asked, known, everything, new Decisions(undefined, undefined))
    await report(`three questions about ${destination}`, () => Promise.all([ask(), ask(), ask()]))
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
