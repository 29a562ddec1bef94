import { describe, expect, onTestFinished, test, vi } from "vitest"
import { describeStores } from "../store/testing/stores.ts"
import { ACCESS, ada, ben, HOUR, inAnHour, makeItem, oneDesk, twoDesks } from "./testing/claims.ts"
import { ClaimStore } from "./claim-store.ts"

describeStores("set aside", ({ newStore }) => {
  test("what is set aside comes back with a new version, and when it is handed to the person", async () => {
    const { first, second } = await twoDesks(await newStore())
    expect(await first.aside(ada, inAnHour())).toMatchObject({ aside: { until: expect.any(String) } })
    expect(first.members(ada)).toEqual({ aside: { until: expect.any(String) } })
    expect(first.members(ben)).toEqual({})
    await expect.poll(() => second.members(ada)).toEqual({ aside: { until: expect.any(String) } })
    await first.give(ben, { team: "Finance" }, `"none"`)
    expect(first.members(ada)).toHaveProperty("aside")
    const given = first.members(ada)["assignment"]
    const etag = typeof given === "object" && given !== null && "etag" in given ? String(given.etag) : ""
    await first.give(ben, { person: "ada" }, etag)
    expect(first.members(ada)).toMatchObject({ back: true })
    // Ada opens the item.
    expect(await first.look(ada, "reading")).toBeUndefined()
    expect(first.members(ada)).not.toHaveProperty("back")

    await first.aside(ada, inAnHour())
    const { work, item } = first.desk.found
    if (item.kind === "approval") first.desk.found = makeItem(work, { ...item, version: 2n })
    expect(first.members(ada)).toMatchObject({ back: true })
    expect(await first.aside(ada, inAnHour())).toMatchObject({ status: 412 })
    expect(await first.aside(ada, null, "2")).toEqual({ aside: null })
    expect(first.members(ada)).not.toHaveProperty("back")
  })

  test("a mark of an item that is back is forgotten after 30 days, and its row is deleted", async () => {
    const { database } = await twoDesks(await newStore())
    const store = new ClaimStore(database)
    onTestFinished(store.stop)
    const aside = { personId: "ada", workId: "w", version: "1", setAt: 1 }
    await store.setAside({ ...aside, itemId: "new", until: Date.now() - 29 * 24 * HOUR })
    await store.setAside({ ...aside, itemId: "old", until: Date.now() - 31 * 24 * HOUR })
    await store.refresh()
    expect(["new", "old"].map((itemId) => store.aside("ada", "w", itemId)?.itemId)).toEqual(["new", undefined])
    expect(await database.read("SELECT item_id FROM aside")).toEqual([{ item_id: "new" }])
  })

  test("what is brought back at another desk is not aside at the first", async () => {
    const { first, database } = await twoDesks(await newStore())
    const [here, there] = [new ClaimStore(database), new ClaimStore(database)]
    await Promise.all([here.load(), there.load()])
    const aside = { personId: "ada", workId: "w", itemId: "a", version: "1", until: Date.now() + HOUR, setAt: 1 }
    await here.setAside(aside)
    // This desk has not heard of it yet.
    await there.removeAside("ada", "w", "a")
    await here.refresh()
    expect([here, there].map((store) => store.aside("ada", "w", "a"))).toEqual([undefined, undefined])
    expect(first.members(ada)).toEqual({})
  })
})

describe("set aside", () => {
  test.each([
    ["a past time", "2020-01-01T00:00:00Z", {}, 400],
    ["more than 7 days", new Date(Date.now() + 8 * 24 * HOUR).toISOString(), {}, 400],
    ["more than 4 hours, urgent", new Date(Date.now() + 5 * HOUR).toISOString(), { priority: "urgent" }, 400],
    [
      "4 hours less a minute, urgent",
      new Date(Date.now() + 4 * HOUR - 60_000).toISOString(),
      { priority: "urgent" },
      0,
    ],
    [
      "a minute without seconds",
      `${new Date(Date.now() + HOUR).toISOString().slice(0, "2026-11-21T10:00".length)}Z`,
      {},
      0,
    ],
    ["a time without an offset", new Date(Date.now() + HOUR).toISOString().slice(0, -1), {}, 400],
    ["no time", "tomorrow", {}, 400],
  ])("until %s", async (_, until, work, status) => {
    const { first } = await oneDesk()
    first.desk.found = { ...first.desk.found, work: { ...first.desk.found.work, ...work } }
    const answer = await first.aside(ada, until)
    expect("status" in answer ? answer.status : 0).toBe(status)
  })

  test("never reaches past the time by which the item is to be decided, and not after it", async () => {
    const { first } = await oneDesk({ ...ACCESS, rules: [{ destination: "*@example.com", decideWithin: "30m" }] })
    const { firstCreatedAt } = first.desk.found
    expect(first.members(ada)).toEqual({ decide_by: new Date(firstCreatedAt + HOUR / 2).toISOString() })
    expect(await first.aside(ada, inAnHour())).toMatchObject({ status: 400 })
    expect(await first.aside(ada, new Date(Date.now() + HOUR / 4).toISOString())).toMatchObject({ aside: {} })
    first.desk.found = { ...first.desk.found, firstCreatedAt: firstCreatedAt - HOUR }
    expect(await first.aside(ada, new Date(Date.now() + HOUR / 4).toISOString())).toMatchObject({ status: 400 })
  })

  test("ends when a rule escalates the item", async () => {
    const { first } = await oneDesk({
      ...ACCESS,
      rules: ["2h", "4h"].map((after) => ({ escalate: { after, to: ["group:finance"] } })),
    })
    await first.aside(ada, new Date(Date.now() + 3 * HOUR).toISOString())
    expect(first.members(ada)).toHaveProperty("aside")
    const { item } = first.desk.found
    if (item.kind !== "approval") throw new Error("an approval waits")
    // The item is as old as if it had become due after it was set aside.
    first.desk.found = { ...first.desk.found, item: { ...item, createdAt: Date.now() - 2 * HOUR + 1 } }
    await expect.poll(() => first.members(ada)).toMatchObject({ back: true })
    // Set aside after the first rule has escalated it, the item comes back for the second.
    await first.aside(ada, new Date(Date.now() + 3 * HOUR).toISOString())
    expect(first.members(ada)).toHaveProperty("aside")
    first.desk.found = { ...first.desk.found, item: { ...item, createdAt: Date.now() - 4 * HOUR + 100 } }
    await expect.poll(() => first.members(ada)).toMatchObject({ back: true })
  })

  test("changes no answer while it lasts, and once when the item is back", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] })
    onTestFinished(() => void vi.useRealTimers())
    let changes = 0
    const { first } = await oneDesk(ACCESS, "sign-in", () => changes++)
    await first.aside(ada, inAnHour())
    expect(first.members(ada)).toHaveProperty("aside")
    changes = 0
    await vi.advanceTimersByTimeAsync(HOUR - 2_000)
    expect(changes).toBe(0)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(changes).toBe(1)
    expect(first.members(ada)).toMatchObject({ back: true })
    await vi.advanceTimersByTimeAsync(HOUR)
    expect(changes).toBe(1)
  })

  test("works in local mode, where nobody else is there to take an item", async () => {
    const { first } = await oneDesk(ACCESS, "local")
    expect(await first.aside(ada, inAnHour())).toMatchObject({ aside: {} })
    expect(await first.give(ada, { person: "ada" }, `"none"`)).toMatchObject({ status: 404 })
    expect(await first.requests.assignees(ada, "work=w&item=a")).toEqual({ people: [], teams: [] })
  })
})
