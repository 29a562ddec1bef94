import { expect, test } from "vitest"
import { longestBlock } from "../../platform/testing/longest-block.ts"
import { databaseForTest, folderForTest } from "../store/testing/stores.ts"
import { readApprovalList } from "../watcher/read-resources.ts"
import { fakeApproval, range } from "../watcher/testing/simulation.ts"
import { buildContext } from "./build-context.ts"
import { Decisions } from "./decisions.ts"
import { type KnownApproval, KnownApprovalStore } from "./known-approval-store.ts"
import { IN_MEMORY_MAX, KnownApprovals } from "./known-approvals.ts"

const HOUR = 3_600_000

/** A known approval of its own Work. One in two is to an address of its own, the others are to one address. */
const approval = (index: number, resolvedAt: number): KnownApproval => ({
  workId: `work-${index}`,
  approvalId: "a",
  destination: index % 2 === 0 ? `payments@supplier${index}.example` : "payments@halden.example",
  colleague: "analyst",
  status: "approved",
  createdAt: new Date(resolvedAt - HOUR).toISOString(),
  resolvedAt: new Date(resolvedAt).toISOString(),
  knownAt: resolvedAt,
})

test(
  "two hundred thousand known approvals block the desk only in small parts: at the start, in a question, and when old ones are forgotten",
  { timeout: 240_000 },
  async () => {
    const store = new KnownApprovalStore(
      await databaseForTest({ dataFolder: await folderForTest(), databaseUrl: undefined }),
    )
    const now = Date.now()
    // A third is so old that it is forgotten at the start.
    await store.save(range(IN_MEMORY_MAX).map((index) => approval(index, now - (index % 3 === 0 ? 48 : 1) * HOUR)))
    const known = new KnownApprovals(store, 24 * HOUR)
    const load = await longestBlock(() => known.load())
    expect(load.longest).toBeLessThan(load.total / 20)
    expect([...known.all()].length).toBeLessThan(IN_MEMORY_MAX)
    for (const destination of ["payments@halden.example", "payments@haldon.example", "new@other.example"]) {
      const [asked] = readApprovalList(JSON.stringify({ data: [fakeApproval("asked", { destination })] }))
      if (asked === undefined) throw new Error("no approval")
      const seen = { works: [], sees: (id: string) => !id.endsWith("7"), isComplete: true }
      const ask = () =>
        buildContext({ workId: "asking", approval: asked }, known, seen, new Decisions(undefined, undefined))
      const three = () => Promise.all([ask(), ask(), ask()])
      expect((await longestBlock(three)).longest).toBeLessThan(load.total / 20)
    }
  },
)
