/** What the desk has judged is what leaves, and what comes back belongs to the address. */
import { expect, it } from "vitest"
import { problemOf, send, startTestProxy } from "../testing/desk.ts"
import { reply, startUpstream, type Answering } from "../testing/upstreams.ts"
import { startSignInProxy } from "../testing/sign-in.ts"

const RESOLVE = "/api/v1/work/w/approvals/a/resolve"
const APPROVAL = {
  id: "a",
  work_id: "w",
  status: "pending",
  version: 3,
  requested_by_colleague: "analyst",
  destination: "x@halden.example",
  subject: "s",
  summary: "s",
}

const answer: Answering = ({ url }, response) => {
  response.writeHead(200, { "Content-Type": "application/json" })
  response.end(
    JSON.stringify(url.endsWith("/approvals") ? { data: [APPROVAL] } : { id: url.endsWith("/w") ? "w" : "a" }),
  )
}

/** A desk in local mode and one with sign-in, with the headers of somebody who may decide. */
async function startBoth(url: string) {
  const local = await startTestProxy(url)
  const signIn = await startSignInProxy(url, { people: { access: { roles: { approver: ["anyone"] } } } })
  return [
    { proxy: local, person: {} },
    { proxy: signIn, person: await signIn.signIn("Ada", []) },
  ]
}

const UTF_7 = '{"decision":"decline","comment":"+ACI-,+ACI-decision+ACI-:+ACI-approve"}'
const DECLINE = '{"decision":"decline"}'

it.each([
  ["another charset", "application/json; charset=utf-7", UTF_7, 415],
  ["two charsets", "application/json; charset=utf-8; charset=utf-7", UTF_7, 415],
  ["a parameter that is unknown", "application/json; profile=x", DECLINE, 415],
  ["a byte order mark", "application/json", `\ufeff${DECLINE}`, 400],
  [
    "bytes that are no UTF-8",
    "application/json",
    Buffer.from(DECLINE.replace("}", ',"comment":"\xff"}'), "latin1"),
    400,
  ],
  ["a member twice", "application/json", '{"decision":"approve","decision":"decline"}', 400],
  ["a member twice in other letters", "application/json", '{"decision":"decline","deci\u017fion":"approve"}', 400],
  ["a member with a character that ends names elsewhere", "application/json", '{"decision\\u0000":"decline"}', 400],
  ["a member in capital letters", "application/json", '{"decision":"decline","COMMENT":"x"}', 400],
  ["no JSON", "application/json", "{decision:'approve'}", 400],
])("a decision with %s reaches no service", async (_, type, body, status) => {
  const upstream = await startUpstream(answer)
  for (const { proxy, person } of await startBoth(upstream.url)) {
    const headers = { "Idempotency-Key": "k", "If-Match": '"3"', "Content-Type": type, ...person }
    expect((await send(proxy.url, RESOLVE, { method: "POST", headers, body })).status).toBe(status)
  }
  expect(upstream.heard.filter(({ method }) => method === "POST")).toEqual([])
})

it("a decision leaves as the same bytes, and as exactly application/json", async () => {
  const upstream = await startUpstream(answer)
  for (const { proxy, person } of await startBoth(upstream.url)) {
    const type = "Application/JSON ; Charset=UTF-8"
    const headers = { "Idempotency-Key": "k", "If-Match": '"3"', "Content-Type": type, ...person }
    const body = '{ "decision":"decline", "comment":"\\u00e9 é" }'
    expect((await send(proxy.url, RESOLVE, { method: "POST", headers, body })).status).toBe(200)
    const sent = upstream.heard.findLast(({ method }) => method === "POST")
    expect([sent?.headers["content-type"], sent?.body]).toEqual(["application/json", body])
  }
})

const OTHER = { id: "other", work_id: "other", title: "concealed" }

it.each([
  ["GET", "/api/v1/work/w", OTHER],
  ["GET", "/api/v1/work/w", { title: "concealed" }],
  ["GET", "/api/v1/work/w", { data: [OTHER] }],
  ["GET", "/api/v1/uploads/u", OTHER],
  ["GET", "/api/v1/work/w/attention", { data: [OTHER] }],
  ["GET", "/api/v1/work/w/approvals", { data: [OTHER] }],
  ["GET", "/api/v1/work/w/artifacts", { data: [OTHER] }],
  ["GET", "/api/v1/work/w/artifacts", OTHER],
  ["POST", RESOLVE, OTHER],
  ["POST", "/api/v1/work/w/attention/a/resolve", { ...OTHER, id: "a" }],
])("%s %s is 502 when the service answers with something else", async (method, path, body) => {
  const upstream = await startUpstream(reply(200, "application/json", JSON.stringify(body)))
  const proxy = await startTestProxy(upstream.url)
  const headers = { "Idempotency-Key": "k", "If-Match": '"3"', "Content-Type": "application/json" }
  const found = await send(proxy.url, path, { method, headers, body: method === "POST" ? DECLINE : "" })
  expect([found.status, problemOf(found).code]).toEqual([502, "PROXY_UPSTREAM_INVALID"])
  expect(found.text).not.toContain("concealed")
})

it("decides an item of a Work whose id is approvals", async () => {
  const upstream = await startUpstream(({ url }, response) => {
    response.writeHead(200, { "Content-Type": "application/json" })
    const list = { data: [{ ...APPROVAL, work_id: "approvals" }] }
    response.end(JSON.stringify(url === "/api/v1/work/approvals/approvals" ? list : { id: url.split("/").at(4) }))
  })
  const access = { roles: { approver: ["anyone"] }, visibility: { overseers: ["anyone"] } }
  const proxy = await startSignInProxy(upstream.url, { people: { access } })
  const headers = { "Idempotency-Key": "k", "If-Match": '"3"', "Content-Type": "application/json" }
  const ada = await proxy.signIn("Ada", [])
  await send(proxy.url, "/api/v1/work/approvals/approvals/a/resolve", {
    method: "POST",
    headers: { ...headers, ...ada },
    body: DECLINE,
  })
  expect(upstream.heard.filter(({ method }) => method === "POST")).toHaveLength(1)
})

it("tells by its request ids nothing about other requests", async () => {
  const proxy = await startTestProxy((await startUpstream()).url)
  const ids = [problemOf(await send(proxy.url, "/api/x")), problemOf(await send(proxy.url, "/api/x"))]
  const [one = "", other = ""] = ids.map(({ request_id }) => request_id)
  expect(one.slice(0, 8)).not.toBe(other.slice(0, 8))
})
