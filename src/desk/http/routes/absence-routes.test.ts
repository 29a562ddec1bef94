import { expect, test } from "vitest"
import { forgetPerson } from "../../people/administration.ts"
import { fakeApproval, fakeWork } from "../../watcher/testing/simulation.ts"
import { item, OF_EVERYBODY, startDesk, startTeam } from "../../testing/shared-inbox.ts"
import type { PersonHeaders } from "../../testing/sign-in.ts"

test("who can stand in: everybody who has a role and signed in lately, by id and name alone", async () => {
  const { ask, signIn, ada, ben } = await startTeam()
  const cleo = await signIn("Cleo", [])
  const { status, text } = await ask(cleo, "GET", "/desk/people")
  const named = (who: PersonHeaders, name: string) => ({ id: who["Desk-Person"], name })
  expect([status, JSON.parse(text)]).toEqual([
    200,
    { people: [named(ada, "Ada"), named(ben, "Ben"), named(cleo, "Cleo")], teams: [] },
  ])
  expect((await ask(cleo, "GET", "/desk/people?work=w1")).status).toBe(400)
  const away = awayFor(24, ben)
  await ask(ada, "PUT", "/desk/away", away, `"none"`)
  const [absent] = JSON.parse((await ask(cleo, "GET", "/desk/people")).text).people
  expect(absent).toEqual({ ...named(ada, "Ada"), away: { until: away.until, stand_in: named(ben, "Ben") } })
})

const HOUR_MS = 3_600_000
const awayFor = (hours: number, standIn: PersonHeaders | null, from = -1) => ({
  from: new Date(Date.now() + from * HOUR_MS).toISOString(),
  until: new Date(Date.now() + hours * HOUR_MS).toISOString(),
  stand_in: standIn?.["Desk-Person"] ?? null,
})

test("who is away says so with an ETag, and what is given to them shows who stands in", async () => {
  const { ask, waiting, ada, ben } = await startTeam()
  const nothing = await ask(ada, "GET", "/desk/away")
  expect([nothing.status, nothing.text, nothing.headers["etag"]]).toEqual([200, "null", `"none"`])
  const away = awayFor(24, ben)
  expect((await ask(ada, "PUT", "/desk/away", away)).status).toBe(428)
  expect((await ask(ada, "PUT", "/desk/away", away, `"1"`)).status).toBe(412)
  const { etag } = await waiting(ben)
  expect(
    (await ask(ben, "PUT", "/desk/assignment", { ...item, to: { person: ada["Desk-Person"] } }, `"none"`)).status,
  ).toBe(200)
  const told = waiting(ben, "?wait=25", etag)
  await told
  const set = await ask(ada, "PUT", "/desk/away", away, `"none"`)
  expect([set.status, JSON.parse(set.text)]).toEqual([200, { ...away, etag: set.headers["etag"] }])
  expect((await ask(ada, "GET", "/desk/away")).headers["etag"]).toBe(set.headers["etag"])
  const shown = { until: away.until, stand_in: { id: ben["Desk-Person"], name: "Ben" } }
  expect((await waiting(ben)).entry.assignment.to.person).toEqual({ id: ada["Desk-Person"], name: "Ada", away: shown })
  expect(JSON.parse((await ask(ben, "GET", "/desk/people?work=w1&item=a1")).text).people).toEqual([
    { id: ada["Desk-Person"], name: "Ada", away: shown },
    { id: ben["Desk-Person"], name: "Ben" },
  ])
  const entry = JSON.parse((await ask(ben, "GET", "/desk/record?operation=setAway")).text).data[0]
  const named = (who: PersonHeaders, name: string) => ({ id: who["Desk-Person"], name })
  expect(entry).toMatchObject({ ...away, about: named(ada, "Ada"), stand_in: named(ben, "Ben"), outcome: "recorded" })
  const ended = await ask(ada, "PUT", "/desk/away", "null", String(set.headers["etag"]))
  expect([ended.status, ended.text, ended.headers["etag"]]).toEqual([200, "null", `"none"`])
  expect((await waiting(ben)).entry.assignment.to.person).not.toHaveProperty("away")
  const end = JSON.parse((await ask(ben, "GET", "/desk/record?operation=setAway")).text).data[0]
  expect(end).toMatchObject({ about: named(ada, "Ada"), stand_in: null, from: null, until: null })
})

test("an absence ends by itself, and a stand-in who is away, too, or may not decide stands in for nobody", async () => {
  const { ask, waiting, signIn, ada, ben } = await startTeam()
  const cleo = await signIn("Cleo", [])
  await ask(ben, "PUT", "/desk/assignment", { ...item, to: { person: ada["Desk-Person"] } }, `"none"`)
  const setAway = (who: PersonHeaders, away: object, ifMatch = `"none"`) => ask(who, "PUT", "/desk/away", away, ifMatch)
  const shown = async () => (await waiting(ben)).entry.assignment.to.person.away
  const first = await setAway(ada, awayFor(24, cleo))
  expect((await shown()).stand_in).toBeNull()
  const second = await setAway(ada, awayFor(24, ben), String(first.headers["etag"]))
  expect((await shown()).stand_in.name).toBe("Ben")
  await setAway(ben, awayFor(24, ada))
  expect((await shown()).stand_in).toBeNull()
  const soon = { ...awayFor(24, null), until: new Date(Date.now() + 1_500).toISOString() }
  expect((await setAway(ada, soon, String(second.headers["etag"]))).status).toBe(200)
  const { etag, entry } = await waiting(ben)
  if (entry.assignment.to.person.away !== undefined) await waiting(ben, "?wait=25", etag)
  expect(await shown()).toBeUndefined()
  expect((await ask(ada, "GET", "/desk/away")).text).toBe("null")
})

test("an absence that nobody can have is refused, and only an overseer may set one for somebody else", async () => {
  const { ask, signIn, ada, ben } = await startTeam([], { visibility: { overseers: ["group:audit"] } })
  const unknown = { ...ben, "Desk-Person": "nobody" }
  const refused = [
    [ada, {}],
    [ada, { ...awayFor(24, null), from: "soon" }],
    [ada, awayFor(-0.5, null)],
    [ada, awayFor(24, ada)],
    [ben, awayFor(24, null, 25)],
    [ben, awayFor(24 * 90, null)],
    [ben, awayFor(24, unknown)],
  ] as const
  for (const [who, away] of refused) expect((await ask(who, "PUT", "/desk/away", away, `"none"`)).status).toBe(400)
  expect((await ask(ada, "PUT", "/desk/away", awayFor(24 * 90 - 1.01, null), `"none"`)).status).toBe(200)
  expect((await ask(ada, "GET", `/desk/away?person=${ben["Desk-Person"]}`)).status).toBe(403)
  const olga = await signIn("Olga", ["audit"])
  const setFor = (person: string) => ask(olga, "PUT", `/desk/away?person=${person}`, awayFor(24, ada), `"none"`)
  expect((await setFor("nobody")).status).toBe(404)
  expect((await setFor(ben["Desk-Person"])).status).toBe(200)
  expect(JSON.parse((await ask(ben, "GET", "/desk/away")).text).stand_in).toBe(ada["Desk-Person"])
})

test("a time that no clock shows, or of a day that no calendar has, is refused", async () => {
  const { ask, ada } = await startTeam()
  const until = `${new Date().getFullYear() + 1}-02-30T10:00Z`
  const from = `${new Date().getFullYear() + 1}-02-01T10:00Z`
  for (const change of [{ from: "2026-13-45T99:99Z" }, { until: "2999-12-01T10:00+99:99" }, { from, until }]) {
    const { status, text } = await ask(ada, "PUT", "/desk/away", { ...awayFor(24, null), ...change }, `"none"`)
    expect([status, JSON.parse(text).code], JSON.stringify(change)).toEqual([400, "PROXY_BODY_INVALID"])
  }
  expect((await ask(ada, "GET", "/desk/away")).text).toBe("null")
})

test("nobody stands in who loses the role or is forgotten, and with who is forgotten the absence goes", async () => {
  const { ask, waiting, signIn, ada, ben, database } = await startTeam()
  const emil = await signIn("Emil", ["finance"])
  const shown = async () => (await waiting(ben)).entry.assignment?.to.person.away?.stand_in
  const setAway = async (standIn: PersonHeaders) => {
    const { headers } = await ask(ada, "GET", "/desk/away")
    const set = await ask(ada, "PUT", "/desk/away", awayFor(24, standIn), String(headers["etag"]))
    expect(set.status, set.text).toBe(200)
  }
  await setAway(emil)
  expect(
    (await ask(ben, "PUT", "/desk/assignment", { ...item, to: { person: ada["Desk-Person"] } }, `"none"`)).status,
    "given while the absence lasts",
  ).toBe(200)
  expect((await shown()).name).toBe("Emil")
  await signIn("Emil", [])
  await expect.poll(shown, { timeout: 5_000 }).toBeNull()
  await signIn("Emil", ["finance"])
  await expect.poll(async () => (await shown())?.name, { timeout: 5_000 }).toBe("Emil")
  expect(await forgetPerson(database, emil["Desk-Person"])).toBe(true)
  await expect.poll(shown, { timeout: 5_000 }).toBeNull()
  expect(JSON.parse((await ask(ada, "GET", "/desk/away")).text).stand_in).toBeNull()
  const record = await ask(ada, "GET", "/desk/record?operation=setAway")
  expect(record.status, record.text).toBe(200)
  const recorded = JSON.parse(record.text).data[0]
  expect(recorded.stand_in).toMatchObject({ id: emil["Desk-Person"], name: "a former person" })
  expect(await forgetPerson(database, ada["Desk-Person"])).toBe(true)
  await expect.poll(async () => (await waiting(ben)).entry.assignment, { timeout: 5_000 }).toBeUndefined()
  expect(await database.read("SELECT * FROM away")).toEqual([])
}, 30_000)

test("of two changes at once one is refused, and who has read nothing newer cannot end what an overseer has set", async () => {
  const { ask, signIn, ada, ben } = await startTeam([], { visibility: { overseers: ["group:audit"] } })
  const olga = await signIn("Olga", ["audit"])
  const set = (away: object | "null", ifMatch: string) => ask(ada, "PUT", "/desk/away", away, ifMatch)
  const both = await Promise.all([set(awayFor(24, ben), `"none"`), set(awayFor(48, null), `"none"`)])
  expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 412]))
  const refused = both.find(({ status }) => status === 412)
  expect(JSON.parse(refused?.text ?? "")).toMatchObject({ code: "PROXY_AWAY_STALE", title: "The absence has changed" })
  const etag = String(both.find(({ status }) => status === 200)?.headers["etag"])
  const address = `/desk/away?person=${ada["Desk-Person"]}`
  expect((await ask(olga, "GET", address)).headers["etag"]).toBe(etag)
  const longer = await ask(olga, "PUT", address, awayFor(72, ben), etag)
  expect(longer.status).toBe(200)
  expect((await set("null", etag)).status).toBe(412)
  const { by, about } = await lastInRecord(ask, ben)
  expect([by, about]).toEqual(["Olga", "Ada"])
  expect((await set("null", String(longer.headers["etag"]))).status).toBe(200)
  expect(await lastInRecord(ask, ben)).toEqual({ by: "Ada", about: "Ada" })
})

test("a change that is sent twice is 200 with the present state, and is recorded once", async () => {
  const { ask, ada, ben } = await startTeam()
  const set = (away: object | "null", ifMatch: string) => ask(ada, "PUT", "/desk/away", away, ifMatch)
  const away = awayFor(24, ben)
  const first = await set(away, `"none"`)
  const again = await set(away, `"none"`)
  expect([again.status, again.text, again.headers["etag"]]).toEqual([200, first.text, first.headers["etag"]])
  expect((await set({ ...away, stand_in: null }, `"none"`)).status).toBe(412)
  const etag = String(first.headers["etag"])
  for (let time = 0; time < 2; time++) {
    const ended = await set("null", etag)
    expect([ended.status, ended.text, ended.headers["etag"]]).toEqual([200, "null", `"none"`])
  }
  expect((await set(away, etag)).status).toBe(412)
  expect((await ask(ada, "PUT", "/desk/away", "null")).status).toBe(428)
  const { data } = JSON.parse((await ask(ada, "GET", "/desk/record?operation=setAway")).text)
  expect(data).toHaveLength(2)
})

type Ask = Awaited<ReturnType<typeof startTeam>>["ask"]

async function lastInRecord(ask: Ask, who: PersonHeaders) {
  const [entry] = JSON.parse((await ask(who, "GET", "/desk/record?operation=setAway")).text).data
  return { by: entry.person.name, about: entry.about.name }
}

test("an overseer finds somebody who signed in long ago, too, and somebody without a role finds nothing", async () => {
  const { ask, signIn, ada, database } = await startTeam([], {
    roles: { reader: ["group:finance", "group:audit"] },
    visibility: { overseers: ["group:audit", "group:none"] },
  })
  const olga = await signIn("Olga", ["audit"])
  const longAgo = Date.now() - 60 * 24 * HOUR_MS
  await database.write("UPDATE person SET signed_in_at = ? WHERE id = ?", longAgo, ada["Desk-Person"])
  const address = `/desk/away?person=${ada["Desk-Person"]}`
  expect((await ask(olga, "PUT", address, awayFor(24, null), `"none"`)).status).toBe(200)
  const nobody = await signIn("Nobody", ["none"])
  for (const path of ["/desk/away", address, "/desk/people", "/desk/record?operation=setAway"])
    expect((await ask(nobody, "GET", path)).status, path).toBe(403)
})

test("what is given to somebody who is away stays with the stand-in, however long ago the last sign-in was", async () => {
  const { ask, waiting, ada, ben, database } = await startTeam()
  expect((await ask(ada, "PUT", "/desk/away", awayFor(60 * 24, ben), `"none"`)).status).toBe(200)
  const given = await ask(ben, "PUT", "/desk/assignment", { ...item, to: { person: ada["Desk-Person"] } }, `"none"`)
  expect(given.status).toBe(200)
  const longAgo = Date.now() - 40 * 24 * HOUR_MS
  await database.write("UPDATE person SET signed_in_at = ? WHERE id = ?", longAgo, ada["Desk-Person"])
  // Reads the people anew. Nobody is offered who signed in so long ago.
  const offered = JSON.parse((await ask(ben, "GET", "/desk/people?work=w1&item=a1")).text).people
  expect(offered).toEqual([{ id: ben["Desk-Person"], name: "Ben" }])
  expect((await waiting(ben)).entry.assignment?.to.person).toMatchObject({
    name: "Ada",
    away: { stand_in: { name: "Ben" } },
  })
  const { headers } = await ask(ada, "GET", "/desk/away")
  expect((await ask(ada, "PUT", "/desk/away", "null", String(headers["etag"]))).status).toBe(200)
  expect((await waiting(ben)).entry).not.toHaveProperty("assignment")
})

test("a stand-in can do nothing that they could not do before", async () => {
  const letter = (work: string) => fakeApproval("a1", { work_id: work })
  const works = [
    fakeWork("w1", 1, { approvals: [letter("w1")], json: OF_EVERYBODY }),
    fakeWork("w2", 2, { approvals: [letter("w2")] }),
  ]
  const { ask, waiting, signIn, ada, ben } = await startDesk(works, { visibility: { overseers: [] } })
  await expect.poll(async () => (await waiting(ada)).complete).toBe(true)
  const reader = await signIn("Reader", [])
  const asks = (): Promise<number[]> =>
    Promise.all(
      [
        ask(reader, "GET", "/api/v1/work/w2"),
        ask(reader, "GET", "/desk/people?work=w2&item=a1"),
        ask(reader, "POST", "/api/v1/work/w1/approvals/a1/resolve", { decision: "approve" }, `"1"`),
        ask(reader, "PUT", "/desk/assignment", { ...item, to: { person: reader["Desk-Person"] } }, `"none"`),
        ask(reader, "PUT", `/desk/away?person=${ada["Desk-Person"]}`, "null", `"none"`),
      ].map(async (reply) => (await reply).status),
    )
  const before = await asks()
  expect(before).toEqual([404, 404, 403, 403, 403])
  expect((await ask(ada, "PUT", "/desk/away", awayFor(24, reader), `"none"`)).status).toBe(200)
  const given = await ask(ben, "PUT", "/desk/assignment", { ...item, to: { person: ada["Desk-Person"] } }, `"none"`)
  expect(given.status).toBe(200)
  expect(await asks()).toEqual(before)
  expect((await waiting(ben)).entry.assignment.to.person.away.stand_in).toBeNull()
})
