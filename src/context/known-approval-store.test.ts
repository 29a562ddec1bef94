import { expect, test } from "vitest"
import type { KnownApproval } from "../contract/approvals.ts"
import { openKnownApprovals } from "./known-approval-store.ts"
import { databaseForTest, describeStores } from "../store/testing/stores.ts"

const approval = (id: string, more: Partial<KnownApproval> = {}): KnownApproval => ({
  workId: "w",
  approvalId: id,
  destination: "pаyments@halden.example",
  colleague: "analyst",
  status: "pending",
  createdAt: "2026-11-20T10:00:00.000Z",
  resolvedAt: undefined,
  knownAt: 1_000,
  ...more,
})

describeStores("known approvals", ({ newStore }) => {
  test("are there again after a restart, as they were last seen, with the done Work that was read", async () => {
    const store = await newStore()
    const before = openKnownApprovals(await databaseForTest(store))
    await before.save([approval("a"), approval("b", { knownAt: 2_000 })])
    const resolved = approval("a", {
      destination: "b@x",
      status: "approved",
      resolvedAt: "2026-11-21T10:00:00.000Z",
      knownAt: 3_000,
    })
    await before.save([resolved])
    const work = { version: "9223372036854775807", facts: { scope: "team", colleague: "analyst" } }
    await before.saveDoneWorks(new Map([["w", work]]))
    const { approvals, doneWorks } = await openKnownApprovals(await databaseForTest(store)).load(10)
    // `knownAt` stays the moment of the first read.
    expect(approvals).toEqual([approval("b", { knownAt: 2_000 }), { ...resolved, knownAt: 1_000 }])
    expect([...doneWorks]).toEqual([["w", work]])
    expect((await before.load(1)).approvals).toHaveLength(1)
  })
})
