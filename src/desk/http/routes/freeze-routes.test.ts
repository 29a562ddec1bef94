import { randomUUID } from "node:crypto"
import { expect, test } from "vitest"
import { answerFrom, fakeApproval, fakeWork } from "../../watcher/testing/simulation.ts"
import { CANARY, problemOf, type Reply, send, startTestProxy } from "../../testing/desk.ts"
import { startUpstream } from "../../testing/upstreams.ts"
import { startSignInProxy } from "../../testing/sign-in.ts"

const ACCESS = {
  contact: "the finance desk",
  roles: { reader: ["anyone"], approver: ["group:finance"] },
  visibility: { overseers: ["group:audit"] },
}
const reason = `Runs wild <b>${"x".repeat(267)}`

/** A service with a letter that waits in Work of the whole organization, and one in private Work. */
function startService() {
  const ofEverybody = { colleague_id: "analyst", visibility_scope: "organization" }
  const works = [
    fakeWork("w1", 1, { approvals: [fakeApproval("a1", { work_id: "w1" })], json: ofEverybody }),
    fakeWork("w2", 2, { json: { colleague_id: "analyst", visibility_scope: "private" } }),
  ]
  return startUpstream(({ method, url }, response) => {
    const { status, body } = method === "GET" ? answerFrom(works, url) : { status: 200, body: {} }
    response.writeHead(status, { "Content-Type": "application/json" })
    response.end(JSON.stringify(body))
  })
}

type Headers = Readonly<Record<string, string>>

const json = { "Content-Type": "application/json" }
const put = (url: string, who: Headers, body: unknown) =>
  send(url, "/desk/freeze", { method: "PUT", headers: { ...who, ...json }, body: JSON.stringify(body) })
const end = (url: string, who: Headers, query = "") =>
  send(url, `/desk/freeze${query}`, { method: "DELETE", headers: who })
const approve = (url: string, who: Headers, work: string, decision = "approve") =>
  send(url, `/api/v1/work/${work}/approvals/a1/resolve`, {
    method: "POST",
    headers: { ...who, ...json, "Idempotency-Key": randomUUID(), "If-Match": '"7"' },
    body: JSON.stringify({ decision }),
  })
const codeOf = (reply: Reply) => [reply.status, problemOf(reply).code]

async function startDesk() {
  const upstream = await startService()
  const proxy = await startSignInProxy(upstream.url, { people: { access: ACCESS } })
  const ada = await proxy.signIn("Ada", ["finance"])
  const olga = await proxy.signIn("Olga", ["audit"])
  const freezes = async (who: Headers = ada) =>
    JSON.parse((await send(proxy.url, "/desk/freeze", { headers: who })).text).freezes
  return { upstream, ...proxy, ada, olga, freezes }
}

test("overseers freeze and end it, and everybody with a role reads it", async () => {
  const { url, ada, olga, freezes, signIn } = await startDesk()
  expect(await freezes()).toEqual([])
  for (const reply of [await put(url, ada, { colleague: null, reason }), await end(url, ada)]) {
    expect(codeOf(reply)).toEqual([403, "PROXY_ROLE_MISSING"])
  }
  expect(codeOf(await end(url, olga))).toEqual([404, "PROXY_NOT_FOUND"])
  const frozen = await put(url, olga, { colleague: null, reason })
  expect(frozen.status).toBe(200)
  const by = { id: olga["Desk-Person"], name: "Olga" }
  const since = expect.stringMatching(/^\d{4}-.*Z$/) as string
  expect(JSON.parse(frozen.text)).toEqual({ freezes: [{ colleague: null, by, since, reason }] })
  const [first] = await freezes()
  await put(url, olga, { colleague: null, reason: "Another" })
  await put(url, olga, { colleague: "analyst", reason })
  expect(await freezes(await signIn("Rita", []))).toEqual([
    { ...first, reason: "Another" },
    { colleague: "analyst", by, since, reason },
  ])
  expect((await end(url, olga)).status).toBe(204)
  expect((await end(url, olga, "?colleague=analyst")).status).toBe(204)
  expect(codeOf(await end(url, olga, "?colleague=analyst"))).toEqual([404, "PROXY_NOT_FOUND"])
  expect(await freezes()).toEqual([])
  const record = JSON.parse((await send(url, "/desk/record", { headers: ada })).text)
  expect(record.data.map(({ operation }: { operation: string }) => operation)).toEqual([
    "unfreeze",
    "unfreeze",
    "freeze",
    "freeze",
    "freeze",
  ])
})

test("the answer to a freeze says that no known Work has the colleague, and the freeze holds all the same", async () => {
  const { url, olga, freezes } = await startDesk()
  const answerTo = async (colleague: string | null) => JSON.parse((await put(url, olga, { colleague, reason })).text)
  expect(await answerTo("analyst")).not.toHaveProperty("unknown_colleague")
  expect(await answerTo("Analyst")).not.toHaveProperty("unknown_colleague")
  expect(await answerTo(null)).not.toHaveProperty("unknown_colleague")
  const mistyped = await answerTo("anaylst")
  expect(mistyped).toMatchObject({ unknown_colleague: true })
  expect(mistyped.freezes).toContainEqual(expect.objectContaining({ colleague: "anaylst" }))
  expect(await freezes()).toEqual(mistyped.freezes)
})

test("a body that is not {colleague, reason} is 400, and a request without a session 401", async () => {
  const { url, olga, freezes } = await startDesk()
  const wrong = [
    { colleague: null },
    { reason },
    { colleague: "", reason },
    { colleague: 7, reason },
    { colleague: null, reason: "" },
    { colleague: null, reason: "  " },
    { colleague: null, reason: "x".repeat(281) },
    { colleague: null, reason, until: null },
    [],
  ]
  for (const body of wrong) {
    expect(codeOf(await put(url, olga, body)), JSON.stringify(body)).toEqual([400, "PROXY_BODY_INVALID"])
  }
  expect((await put(url, olga, { colleague: null, reason: "🧊".repeat(280) })).status).toBe(200)
  expect(await freezes()).toHaveLength(1)
  expect(codeOf(await end(url, olga, "?colleague="))).toEqual([400, "PROXY_QUERY_INVALID"])
  for (const reply of [await put(url, {}, { colleague: null, reason }), await end(url, {})]) {
    expect(codeOf(reply)).toEqual([401, "PROXY_SIGNED_OUT"])
  }
})

test("an approve is 404 for concealed Work, 423 before 412, and the service hears nothing", async () => {
  const { url, ada, olga, upstream, logged } = await startDesk()
  await put(url, olga, { colleague: "analyst", reason })
  expect(codeOf(await approve(url, ada, "w2"))).toEqual([404, "PROXY_NOT_FOUND"])
  const refused = await approve(url, ada, "w1")
  expect(codeOf(refused)).toEqual([423, "PROXY_FROZEN"])
  const { title, detail } = problemOf(refused)
  expect(title).toBe("The colleague is frozen")
  for (const part of ["Olga", "analyst", reason]) expect(detail).toContain(part)
  expect(codeOf(await approve(url, ada, "w1", "decline"))).toEqual([412, "PROXY_VERSION_STALE"])
  expect(upstream.heard.filter(({ method }) => method === "POST")).toEqual([])
  expect(logged.join()).not.toContain("Runs wild")
})

test("whoever waits is told at once that something is frozen, and that it has ended", async () => {
  const { url, ada, olga } = await startDesk()
  const waiting = async (etag = "") => {
    const reply = await send(url, "/desk/waiting?wait=25", { headers: { ...ada, "If-None-Match": etag } })
    return { etag: String(reply.headers["etag"]), ...JSON.parse(reply.text) }
  }
  let before = await waiting()
  while (!before.complete) before = await waiting(before.etag)
  expect(before).not.toHaveProperty("freezes")
  const told = waiting(before.etag)
  await put(url, olga, { colleague: null, reason })
  expect((await told).freezes).toMatchObject([{ colleague: null, reason }])
  const ended = waiting((await told).etag)
  await end(url, olga)
  expect(await ended).not.toHaveProperty("freezes")
})

test("the session tells overseers alone that they are", async () => {
  const { url, ada, olga } = await startDesk()
  const sessionOf = async (headers: Headers) => JSON.parse((await send(url, "/desk/session", { headers })).text)
  expect((await sessionOf(olga)).is_overseer).toBe(true)
  expect(await sessionOf(ada)).not.toHaveProperty("is_overseer")
})

test("in local mode the one person is an overseer", async () => {
  const upstream = await startService()
  const { url } = await startTestProxy(upstream.url)
  expect((await put(url, {}, { colleague: "analyst", reason })).status).toBe(200)
  expect(codeOf(await approve(url, {}, "w1"))).toEqual([423, "PROXY_FROZEN"])
  expect((await approve(url, {}, "w1", "decline")).status).toBe(200)
  expect((await end(url, {}, "?colleague=analyst")).status).toBe(204)
  expect((await approve(url, {}, "w1")).status).toBe(200)
  expect(upstream.heard.every(({ headers }) => headers.authorization === `Bearer ${CANARY}`)).toBe(true)
})
