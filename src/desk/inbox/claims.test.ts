import { expect, onTestFinished, test } from "vitest"
import { stringifyJson } from "../../contract/int64.ts"
import { forgetPerson } from "../people/administration.ts"
import { answerOf } from "../../platform/http/testing/answer-of.ts"
import { describeStores } from "../store/testing/stores.ts"
import { ada, ben, cleo, HOUR, inAnHour, oneDesk, twoDesks } from "./testing/claims.ts"
import { writeAbsence } from "./absence-list.ts"
import { ClaimStore } from "./claim-store.ts"

describeStores("claims", ({ newStore }) => {
  test("two people who take an item at once: one owner, one 412; the other desk shows it", async () => {
    const { first, second } = await twoDesks(await newStore())
    expect(await first.give(ada, { person: "ada" }, "none")).toMatchObject({ status: 412 })
    const answers = await Promise.all([
      first.give(ada, { person: "ada" }, `"none"`),
      second.give(ben, { person: "ben" }, `"none"`),
    ])
    expect(answers.filter((answer) => "assignment" in answer)).toHaveLength(1)
    expect(answers.filter((answer) => "code" in answer)).toMatchObject([{ status: 412 }])
    const shown = expect.objectContaining({ to: { person: expect.objectContaining({ id: expect.any(String) }) } })
    await expect.poll(() => first.members(ada)["assignment"]).toEqual(shown)
    await expect.poll(() => second.members(ada)["assignment"]).toEqual(first.members(ada)["assignment"])
    const owner = "assignment" in (answers[0] ?? {}) ? ada : ben
    const { etag } = Object(first.members(owner)["assignment"])
    // An ETag stands in quotes.
    expect(await first.give(owner, null, String(etag).replaceAll('"', ""))).toMatchObject({ status: 412 })
    const page = await first.record.list("operation=takeItem")
    expect("data" in page && page.data).toMatchObject([
      { outcome: "recorded", work_id: "w", item_id: "a", summary: first.desk.found.item.title },
    ])
    expect(first.desk.found.item.title).not.toBe("")
  })

  test("an item is handed over with a note, handed on, and given back; a repeated change changes nothing", async () => {
    const { first } = await twoDesks(await newStore())
    const handed = await first.give(ada, { person: "ben" }, `"none"`, "Please check the sum")
    expect(handed).toMatchObject({
      assignment: { to: { person: { id: "ben", name: "Ben" } }, note: "Please check the sum" },
    })
    const etag = "assignment" in handed ? handed.assignment?.etag : ""
    expect(await first.give(ben, { person: "ben" }, `"none"`, "Please check the sum")).toMatchObject({
      assignment: { etag },
    })
    expect(await first.give(ben, { team: "Finance" }, etag)).toMatchObject({ assignment: { to: { team: "Finance" } } })
    expect(await first.give(ben, null, etag)).toMatchObject({ status: 412 })
    const now = first.members(ada)["assignment"]
    const present = typeof now === "object" && now !== null && "etag" in now ? String(now.etag) : ""
    expect(await first.give(cleo, null, present)).toMatchObject({ status: 403 })
    expect(await first.give(ben, null, present)).toEqual({ assignment: null })
    expect(first.members(ada)).toEqual({})
    const page = await first.record.list("")
    expect("data" in page && page.data.map(({ operation }) => operation)).toEqual([
      "giveBackItem",
      "handItem",
      "handItem",
    ])
    expect("data" in page && stringifyJson(page)).not.toContain("Please check")
  })

  test("the name of somebody who gave an item to a team is gone within 10 s of `people forget`", async () => {
    const { first, second, database } = await twoDesks(await newStore())
    await first.give(ben, { team: "Finance" }, `"none"`)
    await expect.poll(() => second.members(ada)).toMatchObject({ assignment: { by: { id: "ben", name: "Ben" } } })
    await forgetPerson(database, "ben")
    for (const desk of [first, second]) {
      const giver = { id: "ben", name: "a former person" }
      await expect.poll(() => desk.members(ada), { timeout: 10_000 }).toMatchObject({ assignment: { by: giver } })
    }
  })

  test("only people who may decide the item, and teams with such people, can be chosen", async () => {
    const { first } = await twoDesks(await newStore())
    expect(await first.requests.assignees(ada, "work=w&item=a")).toEqual({
      people: [
        { id: "ada", name: "Ada" },
        { id: "ben", name: "Ben" },
      ],
      teams: ["Finance"],
    })
    for (const to of [{ person: "cleo" }, { person: "x" }, { team: "Nobody" }, { team: "x" }]) {
      expect(await first.give(ada, to, `"none"`)).toMatchObject({ status: 400 })
    }
    expect(await first.give(ada, { person: "ada" }, undefined)).toMatchObject({ status: 428 })
    // Who may not decide learns this first, and a stale ETag comes before a person who cannot be chosen.
    expect(await first.give(cleo, { person: "ada" }, undefined)).toMatchObject({ status: 403 })
    expect(await first.give(ada, { person: "cleo" }, `"stale"`)).toMatchObject({ status: 412 })
    expect(await first.give(ada, { person: "ada" }, `"none"`, "x".repeat(281))).toMatchObject({ status: 400 })
  })

  test("for notices, a team has an item only while one of its people who may decide it is here, or somebody stands in for one", async () => {
    const { first, database } = await twoDesks(await newStore())
    const leave = async (personId: string, standIn: string | undefined) => {
      const away = { from: Date.now() - HOUR, until: Date.now() + HOUR, standIn }
      await writeAbsence(database, personId, away, personId)
      await first.claims.absences.refresh()
    }
    const isGiven = () => first.claims.assignedTo(first.desk.found) !== undefined
    await first.give(ada, { team: "Finance" }, `"none"`)
    await leave("ben", "cleo")
    expect(isGiven()).toBe(true)
    // Cleo may not decide the item, so nobody stands in for Ben.
    await leave("ada", undefined)
    expect(isGiven()).toBe(false)
    expect(first.members(ada)).toMatchObject({ assignment: { to: { team: "Finance" } } })
  })

  test("a change reads the rows of its item alone, among 5,000 others, and reaches the other desk", async () => {
    const { database } = await twoDesks(await newStore())
    await database.write(
      `INSERT INTO assignment (work_id, item_id, person_id, team, by_id, at, note, etag)
       WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 5000)
       SELECT 'x' || n, 'y', 'ada', NULL, 'ben', 0, NULL, 'e' FROM number`,
    )
    let rowsRead = 0
    const counting = new Proxy(database, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== "function") return member
        return (...values: unknown[]) => {
          const result: unknown = member.apply(target, values)
          if (name === "read") void Promise.resolve(result).then((rows) => (rowsRead += Object(rows).length))
          return result
        }
      },
    })
    const stores = [new ClaimStore(database), new ClaimStore(counting)]
    for (const store of stores) {
      onTestFinished(store.stop)
      await store.load()
      expect(store.assignment("x4999", "y")).toMatchObject({ to: { person: "ada" } })
    }
    expect(rowsRead).toBe(5_000)
    rowsRead = 0
    const aside = { personId: "ada", workId: "w", itemId: "a", version: "1", until: Date.now() + HOUR, setAt: 1 }
    await stores[1]?.setAside(aside)
    expect(stores[1]?.aside("ada", "w", "a")).toEqual(aside)
    expect(rowsRead).toBeLessThan(10)
  })

  test("what is stored about an item ends with the item", async () => {
    const { first, database } = await twoDesks(await newStore())
    await first.give(ada, { person: "ada" }, `"none"`)
    await first.aside(ben, inAnHour())
    first.claims.store.end("w", (itemId) => itemId === "other")
    // The later of the two was stored just now.
    first.claims.store.end("w", (_, storedAt) => storedAt < Date.now() - HOUR)
    expect(first.members(ada)).toHaveProperty("assignment")
    first.claims.store.end("w", (itemId) => itemId === "a")
    await expect.poll(() => first.members(ada)).toEqual({})
    const rows = async () => [
      ...(await database.read("SELECT item_id FROM assignment")),
      ...(await database.read("SELECT item_id FROM aside")),
    ]
    await expect.poll(rows).toEqual([])
  })

  test("others see who looks, on another desk too, and no longer once the tab leaves", async () => {
    const { first, second } = await twoDesks(await newStore())
    // A desk that does not listen to the others yet misses a report, so the tabs report again.
    const othersSee = async () => {
      expect(await first.look(ada, "reading", "tab-1")).toBeUndefined()
      expect(await first.look(ada, "writing", "tab-2")).toBeUndefined()
      return second.members(ben)["people"]
    }
    await expect.poll(othersSee).toEqual([{ id: "ada", name: "Ada", doing: "writing" }])
    expect(first.members(ada)).toEqual({})
    await first.look(ada, "left", "tab-2")
    await expect.poll(() => second.members(ben)["people"]).toEqual([{ id: "ada", name: "Ada", doing: "reading" }])
    await first.look(ada, "left", "tab-1")
    await expect.poll(() => second.members(ben)).toEqual({})
  })
})

test("an item that nobody may see, or that does not wait, is unknown", async () => {
  const { first } = await oneDesk()
  const body = (more: object) => Buffer.from(JSON.stringify({ work: "w", item: "x", ...more }))
  const unknown = { status: 404, code: "PROXY_NOT_FOUND" }
  expect(await answerOf(first.requests.report(ada, body({ tab: "t", doing: "reading" })))).toMatchObject(unknown)
  expect(await answerOf(first.requests.assign(ada, body({ to: null }), `"none"`, "r"))).toMatchObject(unknown)
  expect(await answerOf(first.requests.setAside(ada, body({ version: "1", until: null })))).toMatchObject(unknown)
  expect(await answerOf(first.requests.assignees(ada, "work=w&item=x"))).toMatchObject(unknown)
  for (const bad of ["", "[]", '{"work":"w"}']) {
    expect(await answerOf(first.requests.report(ada, Buffer.from(bad)))).toMatchObject({ status: 400 })
  }
})
