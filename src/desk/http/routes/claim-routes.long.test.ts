import { expect, test } from "vitest"
import { forgetPerson } from "../../people/administration.ts"
import { answerFrom, fakeApproval, fakeWork, type FakeWork } from "../../watcher/testing/simulation.ts"
import { MUTATION, send } from "../../testing/desk.ts"
import { startUpstream } from "../../testing/upstreams.ts"
import { item, OF_EVERYBODY, startDesk, startTeam } from "../../testing/shared-inbox.ts"
import { type PersonHeaders, startSignInProxy } from "../../testing/sign-in.ts"

test("who looks at an item reaches those who wait, and nobody's limit", { timeout: 20_000 }, async () => {
  const { ask, waiting, ada, ben } = await startTeam()
  const before = await waiting(ben)
  const told = waiting(ben, "?wait=25", before.etag)
  for (let round = 0; round < 40; round++) {
    const reply = await ask(ada, "POST", "/desk/presence", { ...item, tab: "t", doing: "reading" })
    expect(reply.status).toBe(200)
  }
  // The limit of the test is shorter than the wait.
  expect((await told).entry.people).toEqual([{ id: ada["Desk-Person"], name: "Ada", doing: "reading" }])
  expect((await waiting(ada)).entry.people).toBeUndefined()
  const unknown = await ask(ada, "POST", "/desk/presence", { work: "w1", item: "x", tab: "t", doing: "reading" })
  expect(unknown.status).toBe(404)
})

test("a request with since is told only of the entry that somebody looks at, and knows no ETag of another person", async () => {
  const { ask, waiting, ada, ben } = await startTeam()
  const { etag } = await waiting(ben)
  const since = (tag: string) => `/desk/waiting?wait=25&since=${encodeURIComponent(tag)}`
  const told = ask(ben, "GET", since(etag))
  await ask(ada, "POST", "/desk/presence", { ...item, tab: "t", doing: "reading" })
  const change = JSON.parse((await told).text)
  const approvals = [{ item: { id: "a1" }, people: [{ id: ada["Desk-Person"], name: "Ada", doing: "reading" }] }]
  expect(change).toMatchObject({ since: etag, changed: { attention: [], approvals }, gone: [] })
  const whole = JSON.parse((await ask(ada, "GET", since(change.etag))).text)
  expect(whole).toMatchObject({ approvals: [{ item: { id: "a1" } }] })
  expect(whole).not.toHaveProperty("since")
})

test("an item of Work that was created elsewhere a moment ago is found by one more read of the list", async () => {
  const works = [fakeWork("w1", 1, { approvals: [fakeApproval("a1", { work_id: "w1" })], json: OF_EVERYBODY })]
  const desk = await startDesk(works)
  await expect.poll(async () => (await desk.waiting(desk.ada)).complete).toBe(true)
  works.push(fakeWork("w2", 2, { approvals: [fakeApproval("a2", { work_id: "w2" })], json: OF_EVERYBODY }))
  const reading = { work: "w2", item: "a2", tab: "t", doing: "reading" }
  expect((await desk.ask(desk.ada, "POST", "/desk/presence", reading)).status).toBe(200)
})

test("an assignment ends when the service has resolved the item or its Work is done", async () => {
  const approvals = ["a1", "a2"].map((id) => [fakeApproval(id, { work_id: id })])
  const works = approvals.map((own, index) => fakeWork(`w${index + 1}`, index, { approvals: own, json: OF_EVERYBODY }))
  const desk = await startDesk(works)
  await expect.poll(async () => (await desk.waiting(desk.ada)).complete).toBe(true)
  const to = { person: desk.ada["Desk-Person"] }
  for (const index of [1, 2]) {
    const body = { work: `w${index}`, item: `a${index}`, to }
    expect((await desk.ask(desk.ada, "PUT", "/desk/assignment", body, `"none"`)).status).toBe(200)
  }
  const [first, second] = works
  if (first === undefined || second === undefined) throw new Error("there are two Works")
  first.approvals = [fakeApproval("a1", { status: "approved" })]
  first.version = 2
  second.status = "done"
  await expect
    .poll(async () => (await desk.database.read("SELECT * FROM assignment")).length, { timeout: 15_000 })
    .toBe(0)
})

test("an item is taken with the ETag of its assignment, and the others are told at once", async () => {
  const { ask, waiting, ada, ben } = await startTeam()
  const before = await waiting(ben)
  const told = waiting(ben, "?wait=25", before.etag)
  const take = (who: PersonHeaders, ifMatch?: string) =>
    ask(who, "PUT", "/desk/assignment", { ...item, to: { person: who["Desk-Person"] } }, ifMatch)
  expect((await take(ada)).status).toBe(428)
  const taken = await take(ada, `"none"`)
  expect(taken.status).toBe(200)
  const { entry } = await told
  expect(entry.assignment).toMatchObject({
    to: { person: { name: "Ada" } },
    by: { name: "Ada" },
    etag: taken.headers["etag"],
  })
  expect((await take(ben, `"none"`)).status).toBe(412)
  expect((await take(ben, entry.assignment.etag)).status).toBe(200)
  expect(JSON.parse((await ask(ada, "GET", "/desk/people?work=w1&item=a1")).text)).toMatchObject({
    people: [{ name: "Ada" }, { name: "Ben" }],
    teams: [],
  })
})

test("the next answer has what was just changed, and a time that has passed, although nobody waits", async () => {
  const { ask, waiting, ada, ben } = await startTeam([{ approvalsNeeded: 2 }])
  const until = new Date(Date.now() + 1_500).toISOString()
  expect((await ask(ada, "PUT", "/desk/aside", { ...item, version: "1", until })).status).toBe(200)
  expect((await waiting(ada)).entry.aside).toEqual({ until })
  for (const to of [{ person: ada["Desk-Person"] }, { person: ben["Desk-Person"] }, null]) {
    const { entry } = await waiting(ben)
    const given = await ask(ben, "PUT", "/desk/assignment", { ...item, to }, entry.assignment?.etag ?? `"none"`)
    expect(given.status).toBe(200)
    expect((await waiting(ben)).entry.assignment ?? null).toEqual(JSON.parse(given.text).assignment)
  }
  await ask(ben, "POST", "/api/v1/work/w1/approvals/a1/resolve", { decision: "approve" }, `"1"`)
  expect((await waiting(ada)).entry.approvals.given).toMatchObject([{ person: { name: "Ben" } }])
  expect((await ask(ben, "DELETE", "/desk/approvals/w1/a1/mine")).status).toBe(204)
  expect((await waiting(ada)).entry.approvals.given).toEqual([])
  await expect.poll(async () => (await waiting(ada)).entry.back).toBe(true)
})

test("who created Work a moment ago cannot take a letter of it that a rule keeps from them", async () => {
  const listed = Promise.withResolvers<void>()
  const works: FakeWork[] = []
  const upstream = await startUpstream(({ method, url }, response) => {
    const json = (status: number, content: unknown) => {
      response.writeHead(status, { "Content-Type": "application/json" })
      response.end(JSON.stringify(content))
    }
    if (method === "GET") {
      const { status, body } = answerFrom(works, url)
      return json(status, body)
    }
    // The desk lists the Work and reads who created it before it hears that the Work was created.
    works.push(fakeWork("w1", 1, { approvals: [fakeApproval("a1", { work_id: "w1" })] }))
    void listed.promise.then(() => json(201, { id: "w1", title: "" }))
  })
  const access = {
    roles: { reader: ["anyone"], delegator: ["anyone"], approver: ["group:finance"] },
    rules: [{ preventSelfApproval: true }],
  }
  const proxy = await startSignInProxy(upstream.url, { people: { access } })
  const [ada, ben] = [await proxy.signIn("Ada", ["finance"]), await proxy.signIn("Ben", ["finance"])]
  const write = (who: PersonHeaders, method: string, path: string, body: object, more: Record<string, string> = {}) =>
    send(proxy.url, path, { method, headers: { ...who, ...MUTATION, ...more }, body: JSON.stringify(body) })
  const created = write(ada, "POST", "/api/v1/work", { objective: "Do this" })
  const waiting = async () => (await send(proxy.url, "/desk/waiting", { headers: ben })).text
  await expect.poll(waiting).toContain('"a1"')
  listed.resolve()
  expect((await created).status).toBe(201)
  const to = { person: ada["Desk-Person"] }
  const taken = await write(ada, "PUT", "/desk/assignment", { ...item, to }, { "If-Match": `"none"` })
  expect(taken.status).toBe(403)
})

test("an assignment is gone when its person has signed in without the role", async () => {
  const { ask, waiting, signIn, ada, ben } = await startTeam()
  const taken = await ask(ben, "PUT", "/desk/assignment", { ...item, to: { person: ben["Desk-Person"] } }, `"none"`)
  expect(taken.status).toBe(200)
  const { etag, entry } = await waiting(ada)
  expect(entry.assignment.to.person.name).toBe("Ben")
  const told = waiting(ada, "?wait=25", etag)
  await signIn("Ben", [])
  expect((await told).entry).not.toHaveProperty("assignment")
})

test("the name of a forgotten person who gave an item away is shown no more", async () => {
  const { ask, waiting, ada, ben, database } = await startTeam()
  const given = await ask(ben, "PUT", "/desk/assignment", { ...item, to: { person: ada["Desk-Person"] } }, `"none"`)
  expect(given.status).toBe(200)
  const shown = async () => (await waiting(ada)).entry.assignment.by.name
  expect(await shown()).toBe("Ben")
  expect(await forgetPerson(database, ben["Desk-Person"])).toBe(true)
  await expect.poll(shown, { timeout: 5_000 }).toBe("a former person")
})

test("what a person sets aside is marked in their answer alone", async () => {
  const { ask, waiting, ada, ben } = await startTeam()
  const until = new Date(Date.now() + 3_600_000).toISOString()
  const change = { ...item, version: "1", until }
  expect((await ask(ada, "PUT", "/desk/aside", change)).status).toBe(200)
  expect((await waiting(ada)).entry).toMatchObject({ aside: { until } })
  expect((await waiting(ben)).entry).not.toHaveProperty("aside")
  expect((await ask(ada, "PUT", "/desk/aside", { ...change, version: "2" })).status).toBe(412)
  expect((await ask(ada, "PUT", "/desk/aside", { ...change, until: "soon" })).status).toBe(400)
  expect((await ask(ada, "PUT", "/desk/aside", { ...change, until: null })).status).toBe(200)
  expect((await waiting(ada)).entry).not.toHaveProperty("aside")
})

test("an approval that needs two says who has given one, and wakes the other", async () => {
  const { ask, waiting, ada, ben } = await startTeam([{ approvalsNeeded: 2 }])
  const before = await waiting(ben)
  expect(before.entry.approvals).toEqual({ needed: 2, given: [], earlier: [] })
  const told = waiting(ben, "?wait=25", before.etag)
  const path = "/api/v1/work/w1/approvals/a1/resolve"
  const held = await ask(ada, "POST", path, { decision: "approve" }, `"1"`)
  expect([held.status, JSON.parse(held.text)]).toMatchObject([202, { needed: 2, given: [{ person: { name: "Ada" } }] }])
  expect((await told).entry.approvals.given).toEqual(JSON.parse(held.text).given)
})

test("of an item that a desk has not read yet it says 503, and not that there is none, whether it is there or not", async () => {
  const listed = Promise.withResolvers<void>()
  const checked = Promise.withResolvers<void>()
  const letterOf = (work: string) => fakeApproval("a1", { work_id: work, destination: "a@example.com" })
  // Who may decide the letter sees the private Work, as soon as the desk has read its letters.
  const works = [
    fakeWork("w1", 1, { approvals: [letterOf("w1")] }),
    fakeWork("w2", 2, { approvals: [letterOf("w2")], json: OF_EVERYBODY }),
  ]
  const isList = (url: string) => new URL(url, "http://service.test").pathname === "/api/v1/work"
  const { ask, signIn, ada } = await startDesk(works, { visibility: { overseers: [] } }, (url) =>
    isList(url) ? listed.promise : checked.promise,
  )
  const cleo = await signIn("Cleo", [])
  const until = new Date(Date.now() + 3_600_000).toISOString()
  const askAll = (who: PersonHeaders, work: string) =>
    Promise.all([
      ask(who, "POST", "/desk/presence", { work, item: "a1", tab: "t", doing: "reading" }),
      ask(who, "GET", `/desk/people?work=${work}&item=a1`),
      ask(who, "PUT", "/desk/assignment", { work, item: "a1", to: null }, `"none"`),
      ask(who, "PUT", "/desk/aside", { work, item: "a1", version: "1", until }),
    ])
  const statuses = async (who: PersonHeaders, work: string) => (await askAll(who, work)).map(({ status }) => status)
  const bare = ({ status, headers, text }: Awaited<ReturnType<typeof ask>>) => {
    const { instance: _, request_id: __, ...rest } = JSON.parse(text)
    return { status, retry: headers["retry-after"], ...rest }
  }
  const ids = ["w1", "w2", "unknown"]
  const replies = (await Promise.all(ids.map((work) => askAll(ada, work)))).flat()
  const notRead = { status: 503, retry: "1", code: "PROXY_NOT_READ", retryable: true }
  expect(replies.map(bare)).toMatchObject(replies.map(() => notRead))
  expect(new Set(replies.map((reply) => JSON.stringify(bare(reply))))).toHaveProperty("size", 1)

  // Cleo sees nothing by a letter, so the list says enough about what she does not see. Ada may see more when the letters are read.
  listed.resolve()
  expect(await statuses(cleo, "w1")).toEqual([404, 404, 404, 404])
  expect(await Promise.all(ids.map((work) => statuses(ada, work)))).toEqual(ids.map(() => [503, 503, 503, 503]))

  checked.resolve()
  expect(await Promise.all(ids.map((work) => statuses(ada, work)))).toEqual([
    [200, 200, 200, 200],
    [200, 200, 200, 200],
    [404, 404, 404, 404],
  ])
}, 20_000)
