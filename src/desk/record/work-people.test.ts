import { join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { parseAccess } from "../people/access-file.ts"
import type { Database } from "../store/database.ts"
import { openDatabase } from "../store/open-store.ts"
import { insert } from "../store/tables.ts"
import { describeStores, folderForTest } from "../store/testing/stores.ts"
import { archiveRows } from "./record-archive.ts"
import { creationOf } from "./creations.ts"
import { DeskRecord } from "./desk-record.ts"
import { RecordedActions } from "./recorded-actions.ts"
import { creation, decision, approval, sessionOf, success } from "./testing/deciding.ts"
import { peopleOf } from "./creators-and-deciders.ts"
import { WorkPeople } from "./work-people.ts"

const ACCESS = parseAccess(
  JSON.stringify({
    roles: { reader: ["anyone"], approver: ["anyone"], delegator: ["anyone"] },
    visibility: {
      teams: ["finance", "ops", "audit"].map((group) => ({ name: group, members: [`group:${group}`] })),
    },
  }),
)
const ada = sessionOf("Ada", { groups: ["finance", "ops"] })
const ben = sessionOf("Ben", { groups: [] })

describeStores("who created and decided", ({ newStore }) => {
  async function open(access = ACCESS) {
    const database = await openDatabase(await newStore())
    const unused = () => undefined
    const record = new DeskRecord({
      database,
      mode: "sign-in",
      access: () => access,
      onStored: unused,
      onFailed: unused,
      onHead: unused,
    })
    onTestFinished(async () => {
      await record.stop()
      await database.close()
    })
    const begin = async (session: typeof ada, mutation: ReturnType<typeof creation>) => {
      const prepared = await record.prepare(session, mutation, {
        approvals: async () => Buffer.from(JSON.stringify({ data: [approval()] })),
        isClarificationListed: async () => true,
        colleague: async () => "analyst",
        isTooLarge: () => false,
        knownColleague: () => undefined,
      })
      if (prepared.kind !== "send") throw new Error(JSON.stringify(prepared))
      return prepared.storeOutcome
    }
    return { database, begin, people: new WorkPeople(database) }
  }

  test("actions are kept of the Works with the newest ones", async () => {
    const { database, begin } = await open()
    const actions = new RecordedActions(database, 2)
    for (const id of ["work_1", "work_2", "work_3"]) {
      await (
        await begin(ada, creation())
      )(success({ id, title: "October" }, { status: 201 }))
      await actions.refresh()
    }
    expect(["work_1", "work_2", "work_3"].map((id) => actions.of(id).length)).toEqual([0, 1, 1])
  })

  test("a creation is stored with the creator's teams, and a decision with who decided", async () => {
    const { database, begin, people } = await open()
    await people.refresh(["work_1"])
    await (
      await begin(ada, creation())
    )(success({ id: "work_1", title: "October" }, { status: 201 }))
    await (
      await begin(ben, decision())
    )(success(approval({ status: "approved" })))
    expect([people.of("work_1"), people.of("work_2")]).toEqual([
      { creators: new Map(), deciders: new Set() },
      undefined,
    ])
    await people.refresh()
    const known = { creators: new Map([["ada", ["finance", "ops"]]]), deciders: new Set(["ben"]) }
    expect(people.of("work_1")).toEqual(known)
    // Another process, and a command, read the same.
    const later = new WorkPeople(database)
    await later.refresh(["work_1"])
    expect([later.of("work_1"), (await peopleOf(database, ["work_1"])).get("work_1")]).toEqual([known, known])
  })

  test("only the Works that were asked for are read, and the other Works count as somebody's", async () => {
    const { database, people } = await open()
    const rows = ["work_1", "work_2"].map((workId) => ({ workId, personId: "ada", deed: "creator", teams: null }))
    await insert(database, "work_person", ...rows)
    await people.refresh(["work_1", "work_3"])
    const known = ["work_1", "work_2", "work_3"].map((id) => people.of(id)?.creators.size)
    expect(known).toEqual([1, undefined, 0])
    expect(people.isUnsettled("work_2", 0, 0)).toBe(true)
    expect(people.isUnsettled("work_3", 0, 0)).toBe(false)
  })

  test("Works with the same people share what is kept of them in memory", async () => {
    const { begin, people } = await open()
    for (const id of ["work_1", "work_2", "work_3"]) {
      await (
        await begin(id === "work_3" ? ben : ada, creation())
      )(success({ id }, { status: 201 }))
    }
    await people.refresh(["work_1", "work_2", "work_3"])
    expect(people.of("work_1")?.creators.has("ada")).toBe(true)
    expect(people.of("work_2")).toBe(people.of("work_1"))
    expect(people.of("work_3")?.creators.has("ben")).toBe(true)
  })

  test("a refused creation, and one whose answer was lost, has no creator", async () => {
    const { database, begin } = await open()
    await (
      await begin(ada, creation())
    )({ kind: "problem", status: 422 })
    await (
      await begin(ada, creation())
    )({ kind: "none" })
    expect(await database.read("SELECT * FROM work_person")).toEqual([])
  })

  test("without teams in the file no teams are stored", async () => {
    const { begin, people } = await open(parseAccess('{"roles":{"reader":["anyone"]}}'))
    await (
      await begin(ada, creation())
    )(success({ id: "work_1" }, { status: 201 }))
    await people.refresh(["work_1"])
    expect(people.of("work_1")?.creators).toEqual(new Map([["ada", undefined]]))
  })

  test("while a creation is on its way, Work of that time may be somebody's", async () => {
    const { begin, people } = await open()
    const isUnsettled = (createdAt = Date.now()) => people.isUnsettled("work_1", createdAt, people.readAt - 1)
    expect(people.isUnsettled("work_1", 0, Date.now())).toBe(true)
    await people.refresh()
    // The store was read, but not this Work.
    expect(people.isUnsettled("work_1", 0, 0)).toBe(true)
    await people.refresh(["work_1"])
    expect([isUnsettled(), people.isUnsettled("work_1", 0, people.readAt)]).toEqual([false, false])
    expect(people.isUnsettled("work_1", 0, people.readAt + 1)).toBe(true)
    const storeOutcome = await begin(ada, creation())
    await people.refresh()
    expect([isUnsettled(), isUnsettled(Date.now() - 60_000)]).toEqual([true, false])
    await storeOutcome({ kind: "none" })
    await people.refresh()
    expect(isUnsettled()).toBe(false)
  })

  test("a store that nobody has changed is not read again for a second, unless other desks share it", async () => {
    const { database, begin } = await open()
    let reads = 0
    const read: Database["read"] = (...statement) => {
      reads++
      return database.read(...statement)
    }
    const { write, isShared, publish, subscribe, changes } = database
    const unused = () => Promise.reject(new Error("not used"))
    const counted = { read, write, isShared, publish, subscribe, transaction: unused, close: unused }
    const people = new WorkPeople(changes === undefined ? counted : { ...counted, changes })
    await people.refresh(["work_1"])
    const readsOfRefresh = async () => {
      reads = 0
      await people.refresh()
      return reads
    }
    vi.useFakeTimers({ toFake: ["Date"] })
    onTestFinished(() => void vi.useRealTimers())
    await people.refresh()
    expect(await readsOfRefresh()).toBe(isShared ? 1 : 0)
    expect(people.isUnsettled("work_1", 0, Date.now())).toBe(false)
    await (
      await begin(ada, creation())
    )(success({ id: "work_1" }, { status: 201 }))
    await people.refresh()
    expect([...(people.of("work_1")?.creators.keys() ?? [])]).toEqual(["ada"])
    expect(await readsOfRefresh()).toBe(isShared ? 1 : 0)
    vi.setSystemTime(Date.now() + 1_000)
    expect(await readsOfRefresh()).toBe(1)
  })

  test("a desk that rested while rows were recorded and archived knows whose Work it is", async () => {
    const { database, begin, people } = await open()
    await people.refresh(["work_1"])
    await (
      await begin(ada, creation())
    )(success({ id: "work_1" }, { status: 201 }))
    await archiveRows(database, join(await folderForTest(), "archive.jsonl"), Date.now() + 60_000)
    await people.refresh()
    expect([...(people.of("work_1")?.creators.keys() ?? [])]).toEqual(["ada"])
  })

  test.each(["before", "after"])(
    "an action that a desk of an older version recorded %s the first read counts",
    async (when) => {
      const { database, begin, people } = await open()
      if (when === "after") await people.refresh(["work_1"])
      await (
        await begin(ada, creation())
      )(success({ id: "work_1" }, { status: 201 }))
      await database.write("DELETE FROM work_person")
      await people.refresh(["work_1"])
      expect(people.of("work_1")?.creators).toEqual(new Map([["ada", undefined]]))
      expect((await creationOf(database, "work_1", "ada")).creators.has("ada")).toBe(true)
    },
  )
})
