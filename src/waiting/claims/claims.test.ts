import { answerOf } from "../../http/testing/answer-of.ts"
import { Refused } from "../../http/send.ts"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { stringifyJson } from "../../contract/int64.ts"
import { type Access, parseAccess } from "../../people/access-file.ts"
import { forgetPerson } from "../../people/administration.ts"
import { Directory } from "../../people/directory.ts"
import type { Session } from "../../people/people.ts"
import { DeskRecord } from "../../record/record.ts"
import { sessionOf } from "../../record/testing/deciding.ts"
import type { Database } from "../../store/database.ts"
import { databaseForTest, describeStores, folderForTest } from "../../store/testing/stores.ts"
import { type ListedApproval, readApprovalList, readWorkPage } from "../resources.ts"
import { fakeApproval, fakeWork, workJson } from "../testing/simulation.ts"
import { itemUnknown } from "./claim-refusals.ts"
import { ClaimRequests } from "./claim-requests.ts"
import { ClaimStore } from "./claim-store.ts"
import { Claims, type ClaimableItem } from "./claims.ts"

const HOUR = 3_600_000
const ACCESS = {
  roles: { reader: ["anyone"], approver: ["group:finance"] },
  visibility: {
    teams: [
      { name: "Finance", members: ["group:finance"] },
      { name: "Nobody", members: ["group:none"] },
    ],
  },
}
const ada = sessionOf("Ada", { groups: ["finance"] })
const ben = sessionOf("Ben", { groups: ["finance"] })
const cleo = sessionOf("Cleo", { groups: [] })

const inAnHour = () => new Date(Date.now() + HOUR).toISOString()

async function saveSignIn(database: Database, { person, identity }: Session): Promise<void> {
  await database.write(
    "INSERT INTO person (id, issuer, subject, name, email, member_groups, signed_in_at) VALUES (?, ?, ?, ?, NULL, ?, ?)",
    person.id,
    identity.issuer,
    identity.subject,
    person.name,
    JSON.stringify(identity.groups),
    Date.now(),
  )
}

/** A desk's claims, with one approval that waits. `item` may be replaced. */
function openTeam(
  database: Database,
  file: object = ACCESS,
  mode: "local" | "sign-in" = "sign-in",
  changed: () => void = () => undefined,
) {
  const access: Access = parseAccess(JSON.stringify(file))
  const record = new DeskRecord({
    database,
    mode,
    access: () => access,
    onStored: () => undefined,
    onFailed: () => undefined,
    onHead: () => undefined,
  })
  onTestFinished(() => record.stop())
  const [work] = readWorkPage(JSON.stringify({ data: [workJson(fakeWork("w", 0))] })).works
  if (work === undefined) throw new Error("there is a Work")
  const [item] = readApprovalList(
    JSON.stringify({ data: [fakeApproval("a", { created_at: new Date().toISOString() })] }),
  )
  if (item === undefined) throw new Error("there is an approval")
  const desk = { found: makeItem(work, item) }
  const claims = new Claims({
    mode,
    database,
    directory: new Directory(database, "https://login.example"),
    record,
    access: () => access,
    isWatched: () => true,
    changed,
  })
  const requests = new ClaimRequests(claims, {
    record,
    access: () => access,
    find: async (_, workId, itemId) => {
      if (workId !== "w" || itemId !== desk.found.item.id) throw new Refused(itemUnknown)
      return desk.found
    },
  })
  onTestFinished(() => claims.stop())
  const send = (value: object) => Buffer.from(JSON.stringify(value))
  return {
    claims,
    requests,
    record,
    desk,
    give: (session: Session, to: object | null, etag: string | undefined, note?: string) =>
      answerOf(
        requests.assign(
          session,
          send({ work: "w", item: "a", to, ...(note === undefined ? {} : { note }) }),
          etag,
          "request-1",
        ),
      ),
    aside: (session: Session, until: string | null, version = "1") =>
      answerOf(requests.setAside(session, send({ work: "w", item: "a", version, until }))),
    look: (session: Session, doing: string, tab = "tab-1") =>
      answerOf(requests.report(session, send({ work: "w", item: "a", tab, doing }))),
    members: (session: Session): Record<string, unknown> =>
      JSON.parse(`{${claims.members(session.person.id, desk.found).slice(1)}}`),
  }
}

function makeItem(work: ClaimableItem["work"], item: ListedApproval): ClaimableItem {
  const facts = {
    scope: "organization",
    colleague: "analyst",
    creators: new Map(),
    deciders: new Set<string>(),
    pending: [{ destination: item.destination, colleague: item.colleague }],
    isUnsettled: false,
  }
  return { work, item, facts: () => facts, firstCreatedAt: item.createdAt }
}

describeStores("claims", ({ newStore }) => {
  async function twoDesks() {
    const configuration = await newStore()
    const database = await databaseForTest(configuration)
    for (const session of [ada, ben, cleo]) await saveSignIn(database, session)
    const first = openTeam(database)
    // Several desks share a PostgreSQL only.
    const second = database.isShared ? openTeam(await databaseForTest(configuration)) : first
    await first.claims.load()
    await second.claims.load()
    return { first, second, database }
  }

  test("two people who take an item at once: one owner, one 412; the other desk shows it", async () => {
    const { first, second } = await twoDesks()
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
    const { first } = await twoDesks()
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
    const { first, second, database } = await twoDesks()
    await first.give(ben, { team: "Finance" }, `"none"`)
    await expect.poll(() => second.members(ada)).toMatchObject({ assignment: { by: { id: "ben", name: "Ben" } } })
    await forgetPerson(database, "ben")
    for (const desk of [first, second]) {
      const giver = { id: "ben", name: "a former person" }
      await expect.poll(() => desk.members(ada), { timeout: 10_000 }).toMatchObject({ assignment: { by: giver } })
    }
  })

  test("only people who may decide the item, and teams with such people, can be chosen", async () => {
    const { first } = await twoDesks()
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

  test("what is set aside comes back with a new version, and when it is handed to the person", async () => {
    const { first, second } = await twoDesks()
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

  test("a change reads the rows of its item alone, among 5,000 others, and reaches the other desk", async () => {
    const { database } = await twoDesks()
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
    const stores = [new ClaimStore(database, () => undefined), new ClaimStore(counting, () => undefined)]
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
    const { first, database } = await twoDesks()
    await first.give(ada, { person: "ada" }, `"none"`)
    await first.aside(ben, inAnHour())
    first.claims.store.end("w", (itemId) => itemId === "other")
    expect(first.members(ada)).toHaveProperty("assignment")
    first.claims.store.end("w", (itemId) => itemId === "a")
    expect(first.members(ada)).toEqual({})
    const rows = async () => [
      ...(await database.read("SELECT item_id FROM assignment")),
      ...(await database.read("SELECT item_id FROM aside")),
    ]
    await expect.poll(rows).toEqual([])
  })

  test("a mark of an item that is back is forgotten after 30 days, and its row is deleted", async () => {
    const { database } = await twoDesks()
    const store = new ClaimStore(database, () => undefined)
    onTestFinished(store.stop)
    const aside = { personId: "ada", workId: "w", version: "1", setAt: 1 }
    await store.setAside({ ...aside, itemId: "new", until: Date.now() - 29 * 24 * HOUR })
    await store.setAside({ ...aside, itemId: "old", until: Date.now() - 31 * 24 * HOUR })
    await store.refresh()
    expect(["new", "old"].map((itemId) => store.aside("ada", "w", itemId)?.itemId)).toEqual(["new", undefined])
    expect(await database.read("SELECT item_id FROM aside")).toEqual([{ item_id: "new" }])
  })

  test("what is brought back at another desk is not aside at the first", async () => {
    const { first, database } = await twoDesks()
    const [here, there] = [new ClaimStore(database, () => undefined), new ClaimStore(database, () => undefined)]
    await Promise.all([here.load(), there.load()])
    const aside = { personId: "ada", workId: "w", itemId: "a", version: "1", until: Date.now() + HOUR, setAt: 1 }
    await here.setAside(aside)
    // This desk has not heard of it yet.
    await there.removeAside("ada", "w", "a")
    await here.refresh()
    expect([here, there].map((store) => store.aside("ada", "w", "a"))).toEqual([undefined, undefined])
    expect(first.members(ada)).toEqual({})
  })

  test("others see within 3 s who looks, on another desk too, and no longer once the tab leaves", async () => {
    const { first, second } = await twoDesks()
    expect(await first.look(ada, "reading", "tab-1")).toBeUndefined()
    expect(await first.look(ada, "writing", "tab-2")).toBeUndefined()
    expect(first.members(ada)).toEqual({})
    const people = [{ id: "ada", name: "Ada", doing: "writing" }]
    await expect.poll(() => second.members(ben)["people"], { timeout: 3_000 }).toEqual(people)
    await first.look(ada, "left", "tab-2")
    await expect.poll(() => second.members(ben)["people"]).toEqual([{ id: "ada", name: "Ada", doing: "reading" }])
    await first.look(ada, "left", "tab-1")
    await expect.poll(() => second.members(ben)).toEqual({})
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
    const { first } = await localDesk()
    first.desk.found = { ...first.desk.found, work: { ...first.desk.found.work, ...work } }
    const answer = await first.aside(ada, until)
    expect("status" in answer ? answer.status : 0).toBe(status)
  })

  test("never reaches past the time by which the item is to be decided, and not after it", async () => {
    const { first } = await localDesk({ ...ACCESS, rules: [{ destination: "*@example.com", decideWithin: "30m" }] })
    const { firstCreatedAt } = first.desk.found
    expect(first.members(ada)).toEqual({ decide_by: new Date(firstCreatedAt + HOUR / 2).toISOString() })
    expect(await first.aside(ada, inAnHour())).toMatchObject({ status: 400 })
    expect(await first.aside(ada, new Date(Date.now() + HOUR / 4).toISOString())).toMatchObject({ aside: {} })
    first.desk.found = { ...first.desk.found, firstCreatedAt: firstCreatedAt - HOUR }
    expect(await first.aside(ada, new Date(Date.now() + HOUR / 4).toISOString())).toMatchObject({ status: 400 })
  })

  test("ends when a rule escalates the item", async () => {
    const { first } = await localDesk({
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
    const { first } = await localDesk(ACCESS, "sign-in", () => changes++)
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
    const { first } = await localDesk(ACCESS, "local")
    expect(await first.aside(ada, inAnHour())).toMatchObject({ aside: {} })
    expect(await first.give(ada, { person: "ada" }, `"none"`)).toMatchObject({ status: 404 })
    expect(await first.requests.assignees(ada, "work=w&item=a")).toEqual({ people: [], teams: [] })
  })

  test("an item that nobody may see, or that does not wait, is unknown", async () => {
    const { first } = await localDesk()
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

  async function localDesk(
    file: object = ACCESS,
    mode: "local" | "sign-in" = "sign-in",
    changed: () => void = () => undefined,
  ) {
    const database = await databaseForTest({ dataFolder: await folderForTest(), databaseUrl: undefined })
    for (const session of [ada, ben, cleo]) await saveSignIn(database, session)
    const first = openTeam(database, file, mode, changed)
    await first.claims.load()
    return { first }
  }
})
