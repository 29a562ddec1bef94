import { describe, expect, it } from "vitest"
import { operations } from "../../contract/operations.ts"
import { MUTATION, problemOf, send, sendRaw, startTestProxy } from "../testing/desk.ts"
import { ownJson, startUpstream, type Answering } from "../testing/upstreams.ts"

const OWN = {
  json: "application/json",
  "event-stream": "text/event-stream",
  "octet-stream": "application/octet-stream",
}

/** Answers every operation with a success. */
const answerOwn: Answering = ({ method, url }, response) => {
  const path = url.split("?", 1)[0] ?? ""
  const operation = Object.values(operations).find(
    (candidate) =>
      candidate.method === method && new RegExp(`^${candidate.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
  )
  const [status, kind] = Object.entries(operation?.success ?? {})[0] ?? ["500", "json"]
  response.writeHead(Number(status), { "Content-Type": OWN[kind as keyof typeof OWN] })
  response.end(kind === "event-stream" ? ": {}\n" : ownJson(url))
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY"]
const templates = Map.groupBy(Object.values(operations), ({ path }) => path)
const fill = (template: string, id = "id-1") => template.replaceAll(/\{\w+\}/g, id)

describe("the route table", () => {
  it("has the 13 operations", () => {
    expect(Object.keys(operations)).toHaveLength(13)
  })

  it.each([...templates])("%s accepts its methods and answers 405 to every other method", async (template, served) => {
    const upstream = await startUpstream(answerOwn)
    const proxy = await startTestProxy(upstream.url)
    for (const method of METHODS) {
      const operation = served.find((candidate) => candidate.method === method)
      const reply = await send(proxy.url, fill(template), {
        method,
        headers: MUTATION,
        body: method === "POST" ? "{}" : "",
      })
      if (operation === undefined) {
        expect([reply.status, reply.headers.allow], method).toEqual([405, served.map((one) => one.method).join(", ")])
        if (method !== "HEAD") expect(problemOf(reply)).toMatchObject({ code: "PROXY_METHOD_NOT_ALLOWED", status: 405 })
      } else {
        expect([String(reply.status), reply.text], method).toEqual([
          Object.keys(operation.success)[0],
          operation.id === "streamWorkEvents" ? ": heartbeat\n\n" : ownJson(fill(template)),
        ])
      }
    }
    expect(upstream.heard.map(({ method, url }) => [method, url])).toEqual(
      served.map(({ method }) => [method, fill(template)]),
    )
  })

  it("nothing else below /api is served, and the upstream never hears of it", async () => {
    const upstream = await startUpstream(answerOwn)
    const proxy = await startTestProxy(upstream.url)
    const paths = [
      "/api",
      "/api/",
      "/api/v1",
      "/api/v1/",
      "/api/v2/work",
      "/api/v1/Work",
      "/api/V1/work",
      "/api/v1/work/",
      "/api/v1//work",
      "/api//v1/work",
      "/api/v1/work//",
      "/api/v1/work//events",
      "/api/v1/work/w/",
      "/api/v1/work/w/Events",
      "/api/v1/work/w/events/",
      "/api/v1/work/w/events/x",
      "/api/v1/./work",
      "/api/v1/x/../work",
      "/api/v1/work/../work",
      "/api/v1/work/w/../events",
      "/api/v1/%77ork",
      "/%61pi/../api/v1/work/..",
      "/api/v1/work%3Flimit=1",
      "/api/v1/work%2F",
      "/api/v1/work;x=1",
      "/api/v1/webhooks",
      "/api/v1/uploads",
      "/api/v1/uploads/u/processing",
      "/api/v1/uploads/u/processing/retry/",
      "/api/v1/work/w/artifacts/a",
      "/api/v1/work/w/attention/a",
      "/api/v1/work/w/approvals/a/resolve/x",
      "/api/v1/work/w/artifacts/a/content/",
      "/api\\v1\\work",
      "/api/v1/work#x",
      "/api/v1/work/w#x",
      "/api/v1/work/w#/events",
    ]
    for (const path of paths) {
      const method = path === "/api/v1/uploads" ? "GET" : "POST"
      const reply = await send(proxy.url, path, { method, headers: MUTATION, body: "{}" })
      expect([404, 405], path).toContain(reply.status)
      expect(problemOf(reply).code, path).toMatch(/^PROXY_/)
    }
    expect(upstream.heard).toEqual([])
  })
})

describe("ids", () => {
  const places = Object.values(operations).flatMap(({ method, path }) =>
    [...path.matchAll(/\{\w+\}/g)].map((place) => ({ method, path, at: place.index, length: place[0].length })),
  )
  const put = (place: (typeof places)[number], id: string) =>
    fill(place.path.slice(0, place.at)) + id + fill(place.path.slice(place.at + place.length))

  it.each([
    "",
    ".",
    "..",
    "%2e",
    "%2E%2e",
    ".%2e",
    "..%2f",
    "..%2Fwork",
    "a%2f..",
    "a%2F.%2Fb",
    "a%2f%2e%2e%2fb",
    "..\\",
    "a\\..\\b",
    "..%5c",
    "a%5C..",
    "%00",
    "a%00b",
    "%0d%0aX-Evil:1",
    "%0a",
    "%09",
    "%1f",
    "%7f",
    "%c2%85",
    "%zz",
    "%",
    "%2",
    "a%",
    "%u002e",
    "%c0%ae%c0%ae",
    "%ff",
    "%e0%80%ae",
    "a#b",
  ])("%j is refused in every place", async (id) => {
    const upstream = await startUpstream(answerOwn)
    const proxy = await startTestProxy(upstream.url)
    for (const place of places) {
      const path = put(place, id)
      const reply = await send(proxy.url, path, {
        method: place.method,
        headers: MUTATION,
        body: place.method === "POST" ? "{}" : "",
      })
      expect([404, 405], path).toContain(reply.status)
      expect(problemOf(reply).code, path).toMatch(/^PROXY_/)
    }
    expect(upstream.heard).toEqual([])
  })

  it.each([
    "w",
    "0",
    "W-1_~.x",
    "...",
    "a..b",
    ".a",
    "a.",
    "%252e%252e",
    "%252F",
    "a%20b",
    "a+b",
    "a:b@c",
    "a;b=c,d",
    "%F0%9F%98%80",
    "%e2%80%ae",
    "!$&'()*",
    "a%3Fb",
    "a%23b",
    "a%2Fb",
    "a%2fb",
    "%2F",
    "a%5Cb",
    "x".repeat(2000),
  ])("%j passes unchanged in every place", async (id) => {
    const upstream = await startUpstream(answerOwn)
    const proxy = await startTestProxy(upstream.url)
    for (const place of places) {
      const reply = await send(proxy.url, put(place, id), {
        method: place.method,
        headers: MUTATION,
        body: place.method === "POST" ? "{}" : "",
      })
      expect(reply.status, place.path).toBeLessThan(300)
    }
    expect(upstream.heard.map(({ url }) => url)).toEqual(places.map((place) => put(place, id)))
  })

  it("raw bytes beyond ASCII pass as they are", async () => {
    const upstream = await startUpstream(answerOwn)
    const proxy = await startTestProxy(upstream.url)
    const head = "GET /api/v1/work/\u00e9\u00ff HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    await sendRaw(proxy.port, Buffer.from(head, "latin1"))
    expect(upstream.heard.every(({ url }) => url === "/api/v1/work/\u00e9\u00ff")).toBe(true)
  })
})

describe("queries", () => {
  it.each([
    [
      "/api/v1/work?status=working&limit=3&cursor=a%2Fb%3D%3D",
      "/api/v1/work?status=working&limit=3&cursor=a%2Fb%3D%3D",
    ],
    ["/api/v1/work?x=1&limit=3&y&after=2&Limit=4&status[]=x", "/api/v1/work?limit=3"],
    ["/api/v1/work?cursor=%zz&limit=&status", "/api/v1/work?cursor=%zz&limit=&status"],
    ["/api/v1/work?cursor=a+b%20c?d=e/../f;g", "/api/v1/work?cursor=a+b%20c?d=e/../f;g"],
    ["/api/v1/work?limit=1&limit=2", "/api/v1/work?limit=1&limit=2"],
    ["/api/v1/work?", "/api/v1/work"],
    ["/api/v1/work?&&x", "/api/v1/work"],
    ["/api/v1/work?lim%69t=3", "/api/v1/work"],
    ["/api/v1/work?__proto__=1&constructor=2", "/api/v1/work"],
    ["/api/v1/work/w?status=working&after=-1", "/api/v1/work/w"],
    ["/api/v1/work/w/approvals?status=pending&limit=3", "/api/v1/work/w/approvals?status=pending"],
    ["/api/v1/work/w/attention?status=open", "/api/v1/work/w/attention"],
    ["/api/v1/work/w/artifacts/a/content?token=x", "/api/v1/work/w/artifacts/a/content"],
    ["/api/v1/work/w/events?after=0&x=1", "/api/v1/work/w/events?after=0"],
    ["/api/v1/work/w/events?after=9223372036854775807", "/api/v1/work/w/events?after=9223372036854775807"],
  ])("%s reaches the upstream as %s", async (asked, passed) => {
    const upstream = await startUpstream(answerOwn)
    const proxy = await startTestProxy(upstream.url)
    expect((await send(proxy.url, asked)).status).toBe(200)
    expect(upstream.heard.map(({ url }) => url)).toEqual([passed])
  })

  it.each([
    "",
    "-1",
    "-0",
    "+1",
    "1e3",
    "1.0",
    "0x1",
    " 1",
    "1%20",
    "%zz",
    "9223372036854775808",
    "99999999999999999999",
    "abc",
    "1,2",
    "١",
    "NaN",
    "null",
  ])("after=%s is 400", async (after) => {
    const upstream = await startUpstream(answerOwn)
    const proxy = await startTestProxy(upstream.url)
    const raw = /^[\x21-\x7e]*$/.test(after) ? after : encodeURIComponent(after)
    const reply = await send(proxy.url, `/api/v1/work/w/events?after=${raw}`)
    expect([reply.status, problemOf(reply).code]).toEqual([400, "PROXY_POSITION_INVALID"])
    expect(upstream.heard).toEqual([])
  })

  it("after without a value or given twice, or a Last-Event-ID that is no position, is 400", async () => {
    const upstream = await startUpstream(answerOwn)
    const proxy = await startTestProxy(upstream.url)
    expect((await send(proxy.url, "/api/v1/work/w/events?after")).status).toBe(400)
    expect((await send(proxy.url, "/api/v1/work/w/events?after=1&after=1")).status).toBe(400)
    expect((await send(proxy.url, "/api/v1/work/w/events", { headers: { "Last-Event-ID": "x" } })).status).toBe(400)
    expect(upstream.heard).toEqual([])
  })
})
