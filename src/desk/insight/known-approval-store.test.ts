import { expect, test } from "vitest"
import { toDestinations } from "./destination.ts"
import { type KnownApproval, KnownApprovalStore } from "./known-approval-store.ts"
import { IN_MEMORY_MAX, KnownApprovals } from "./known-approvals.ts"
import { databaseForTest, describeStores } from "../store/testing/stores.ts"
import { readApprovalList } from "../watcher/read-resources.ts"
import { fakeApproval, range } from "../watcher/testing/simulation.ts"

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
    const before = new KnownApprovalStore(await databaseForTest(store))
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
    const { approvals, doneWorks } = await new KnownApprovalStore(await databaseForTest(store)).load(10)
    // `knownAt` stays the moment of the first read.
    expect(approvals).toEqual([{ ...resolved, knownAt: 1_000 }, approval("b", { knownAt: 2_000 })])
    expect([...doneWorks]).toEqual([["w", work]])
    expect((await before.load(1)).approvals).toHaveLength(1)
  })

  test("that are read in a new version while they are loaded keep the time of their first version", async () => {
    const database = await databaseForTest(await newStore())
    await new KnownApprovalStore(database).save([approval("a")])
    const approvals = new KnownApprovals(new KnownApprovalStore(database))
    const loaded = approvals.load()
    const version = fakeApproval("a", { destination: "b@x", created_at: "2026-11-21T10:00:00Z" })
    approvals.apply("w", readApprovalList(JSON.stringify({ data: [version] })))
    await loaded
    expect([...approvals.all()]).toEqual([approval("a", { destination: "b@x" })])
  })

  test("of a destination that was not seen for the time are forgotten, in memory and in the store", async () => {
    const database = await databaseForTest(await newStore())
    const store = new KnownApprovalStore(database)
    const now = Date.now()
    const old = { status: "approved", knownAt: now - 60_000 } as const
    await store.save([
      approval("gone", { ...old, destination: "gone@x.example" }),
      approval("kept-1", { ...old, destination: "kept@x.example" }),
      approval("kept-2", { ...old, destination: "Kept@X.example", knownAt: now }),
      approval("pending", { ...old, destination: "pending@x.example", status: "pending" }),
    ])
    const known = new KnownApprovals(store, 30_000)
    await known.load()
    expect(countTo(known, "gone@x.example")).toBe(0)
    expect(countTo(known, "kept@x.example")).toBe(2)
    expect(countTo(known, "pending@x.example")).toBe(1)
    const forgotten = { data: [{ ...fakeApproval("gone"), destination: "gone@x.example", status: "approved" }] }
    const [read] = readApprovalList(JSON.stringify(forgotten))
    if (read === undefined) throw new Error("no approval")
    // The Work is still open, so the watcher reads its approvals again.
    known.apply("w", [{ ...read, resolvedAt: now - 60_000 }])
    await known.save()
    expect(countTo(known, "gone@x.example")).toBe(0)
    known.apply("w", [{ ...read, resolvedAt: now }])
    expect(countTo(known, "gone@x.example")).toBe(1)
    const stored = await database.read("SELECT approval_id FROM known_approval ORDER BY approval_id")
    expect(stored.map((row) => row["approval_id"])).toEqual(["kept-1", "kept-2", "pending"])
  })
})

/** How many approvals to a destination are in memory. */
const countTo = (known: KnownApprovals, text: string) =>
  toDestinations(text).flatMap(({ key }) => [...known.withKey(key)]).length

test("when memory is full, a new approval takes the place of the oldest", () => {
  const known = new KnownApprovals(undefined)
  const [one] = readApprovalList(JSON.stringify({ data: [fakeApproval("a0")] }))
  if (one === undefined) throw new Error("no approval")
  known.apply(
    "w",
    range(IN_MEMORY_MAX + 1).map((index) => ({ ...one, id: `a${index}` })),
  )
  expect(known.get("w", "a0")).toBeUndefined()
  expect(known.get("w", `a${IN_MEMORY_MAX}`)).toBeDefined()
  expect(countTo(known, "a@example.com")).toBe(IN_MEMORY_MAX)
})
