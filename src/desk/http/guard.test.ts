import { describe, expect, it } from "vitest"
import { MUTATION, problemOf, send, sendRaw, startTestProxy } from "../testing/desk.ts"
import { answerJson, startUpstream } from "../testing/upstreams.ts"

const created: typeof answerJson = (_, response) => {
  response.writeHead(201, { "Content-Type": "application/json" })
  response.end('{"id":"w"}')
}

const PATHS = ["/", "/work", "/assets/x.js", "/desk/session", "/desk/health?upstream", "/api/v1/work", "/api/nothing"]
const METHODS = ["GET", "HEAD", "POST", "OPTIONS", "DELETE"]

describe("the Host guard", () => {
  it.each([
    "evil.test",
    "localhost.evil.test",
    "evillocalhost",
    "localhost.",
    "localhost:evil",
    "localhost:4400:4400",
    "localhost:",
    "user@localhost",
    "localhost,evil.test",
    "localhost evil.test",
    "127.0.0.1.nip.io",
    "127.0.0.2",
    "127.1",
    "0x7f000001",
    "2130706433",
    "[::]",
    "[::ffff:127.0.0.1]",
    "::1",
    "[::1",
    "0.0.0.0",
    "*",
  ])("refuses %j on every path and method, before the upstream hears of it", async (host) => {
    const upstream = await startUpstream()
    const proxy = await startTestProxy(upstream.url)
    for (const path of PATHS) {
      for (const method of METHODS) {
        const reply = await send(proxy.url, path, { method, headers: { Host: host, ...MUTATION } })
        expect([reply.status, reply.headers["x-content-type-options"]], `${method} ${path}`).toEqual([421, "nosniff"])
      }
    }
    expect(upstream.heard).toEqual([])
  })

  it("answers health?upstream only for an allowed name", async () => {
    const upstream = await startUpstream()
    const proxy = await startTestProxy(upstream.url)
    for (const query of ["?upstream", "?upstream=1", "?x&upstream"]) {
      expect((await send(proxy.url, `/desk/health${query}`, { headers: { Host: "10.0.0.7" } })).status).toBe(421)
    }
    expect(upstream.heard).toEqual([])
    expect((await send(proxy.url, "/desk/health?upstream")).status).toBe(200)
  })

  it.each(["/desk/health", "/desk/ready"])("answers %s for any name", async (path) => {
    const proxy = await startTestProxy((await startUpstream()).url)
    expect((await send(proxy.url, path, { headers: { Host: "10.0.0.7:4400" } })).status).toBe(200)
    expect((await send(proxy.url, path, { method: "POST", headers: { Host: "10.0.0.7" } })).status).toBe(421)
    expect((await send(proxy.url, `${path}?x`, { headers: { Host: "10.0.0.7" } })).status).toBe(200)
    expect((await send(proxy.url, `${path}/`, { headers: { Host: "10.0.0.7" } })).status).toBe(421)
  })

  it.each(["localhost", "LocalHost", "localhost:1", "127.0.0.1:65535", "[::1]", "[::1]:4400"])(
    "serves %j",
    async (host) => {
      const proxy = await startTestProxy((await startUpstream()).url)
      const reply = await send(proxy.url, "/desk/health", { headers: { Host: host } })
      expect([reply.status, reply.text]).toEqual([200, "ok"])
    },
  )

  it.each([
    ["two Host headers", "GET /api/v1/work HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\n"],
    ["two Host headers, the bad one first", "GET /api/v1/work HTTP/1.1\r\nhost: evil.test\r\nHost: localhost\r\n"],
    ["two equal Host headers", "GET /api/v1/work HTTP/1.1\r\nHost: localhost\r\nHOST: localhost\r\n"],
    ["an empty Host header", "GET /api/v1/work HTTP/1.1\r\nHost:\r\n"],
    ["no Host header", "GET /api/v1/work HTTP/1.1\r\n"],
    ["no Host header in HTTP/1.0", "GET /api/v1/work HTTP/1.0\r\n"],
    ["an absolute target elsewhere", "GET http://evil.test/api/v1/work HTTP/1.1\r\nHost: localhost\r\n"],
    ["an absolute target here", "GET http://localhost/api/v1/work HTTP/1.1\r\nHost: localhost\r\n"],
    [
      "forwarded names",
      "GET /api/v1/work HTTP/1.1\r\nHost: evil.test\r\nX-Forwarded-Host: localhost\r\nForwarded: host=localhost\r\n",
    ],
  ])("refuses %s", async (_, head) => {
    const upstream = await startUpstream()
    const proxy = await startTestProxy(upstream.url)
    expect(await sendRaw(proxy.port, `${head}Connection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 421 .*"PROXY_HOST_NOT_ALLOWED"/s,
    )
    expect(upstream.heard).toEqual([])
  })

  it("answers a navigation by another name of this machine with a page that names the address", async () => {
    const html = { Accept: "text/html,*/*;q=0.8" }
    const configuration = { host: "127.0.0.1", port: 0, allowedHosts: ["desk.test"] }
    const local = await startTestProxy((await startUpstream()).url, { configuration })
    const signIn = await startTestProxy((await startUpstream()).url, {
      configuration,
      publicUrl: new URL("https://desk.test:8443"),
    })
    for (const host of ["localhost:4400", "127.0.0.1:4400", "127.0.0.2:4400", "[::1]:4400"]) {
      const reply = await send(local.url, "/work?<script>", { headers: { Host: host, ...html } })
      expect([reply.status, reply.headers["content-type"]]).toEqual([421, "text/html; charset=utf-8"])
      expect(reply.text).toContain('<a href="http://desk.test:4400">http://desk.test:4400</a>')
      expect(reply.text).not.toMatch(/<script/i)
      const { text } = await send(signIn.url, "/work", { headers: { Host: host, ...html } })
      expect(text).toContain('<a href="https://desk.test:8443">https://desk.test:8443</a>')
      expect(text).toContain("must configure the proxy to pass on the Host header")
    }
    for (const headers of [
      { Host: "evil.test", ...html },
      { Host: "localhost.evil.test", ...html },
      { Host: "localhost" },
    ])
      expect(problemOf(await send(local.url, "/work", { headers })).code).toBe("PROXY_HOST_NOT_ALLOWED")
  })

  it("does not let X-Forwarded-Host take the place of an allowed Host", async () => {
    const proxy = await startTestProxy((await startUpstream()).url)
    const headers = { "X-Forwarded-Host": "evil.test", "X-Forwarded-Proto": "https", Forwarded: "host=evil.test" }
    expect((await send(proxy.url, "/api/v1/work", { headers })).status).toBe(200)
  })

  it("serves HTTP/1.0 with an allowed Host", async () => {
    const proxy = await startTestProxy((await startUpstream()).url)
    expect(await sendRaw(proxy.port, "GET /api/v1/work HTTP/1.0\r\nHost: localhost\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 200 .*\{"data":\[\]\}$/s,
    )
  })
})

describe("the guard against other sites", () => {
  const refused: [string, Record<string, string>][] = [
    ["cross-site", { "Sec-Fetch-Site": "cross-site" }],
    ["same-site, that is another port of this machine", { "Sec-Fetch-Site": "same-site" }],
    ["an unknown Sec-Fetch-Site", { "Sec-Fetch-Site": "same-origin, none" }],
    ["an empty Sec-Fetch-Site", { "Sec-Fetch-Site": "" }],
    ["Sec-Fetch-Site in another case", { "Sec-Fetch-Site": "Same-Origin" }],
    ["a null origin", { Origin: "null" }],
    ["an empty origin", { Origin: "" }],
    ["another host", { Origin: "http://evil.test:4400" }],
    ["another port", { Origin: "http://localhost:4401" }],
    ["the default port", { Origin: "http://localhost" }],
    ["the other loopback name", { Origin: "http://127.0.0.1:4400" }],
    ["a prefix", { Origin: "http://localhost:4400.evil.test" }],
    ["a user", { Origin: "http://localhost:4400@evil.test" }],
    ["a path", { Origin: "http://localhost:4400/" }],
    ["another scheme", { Origin: "ftp://localhost:4400" }],
    ["no scheme", { Origin: "localhost:4400" }],
    ["a list", { Origin: "http://localhost:4400, http://evil.test" }],
    ["a good origin with a bad site", { Origin: "http://localhost:4400", "Sec-Fetch-Site": "cross-site" }],
    ["a good site with a bad origin", { Origin: "http://evil.test", "Sec-Fetch-Site": "same-origin" }],
  ]

  it.each(refused)("refuses %s, on reads, mutations and the desk", async (_, headers) => {
    const upstream = await startUpstream(created)
    const proxy = await startTestProxy(upstream.url)
    for (const [method, path] of [
      ["GET", "/api/v1/work"],
      ["POST", "/api/v1/work"],
      ["POST", "/api/v1/work/w/approvals/a/resolve"],
      ["GET", "/api/v1/work/w/events"],
      ["GET", "/api/v1/work/w/artifacts/a/content"],
      ["GET", "/desk/session"],
      ["GET", "/desk/health"],
      ["OPTIONS", "/api/v1/work"],
    ] as const) {
      const sent = {
        method,
        headers: { Host: "localhost:4400", ...MUTATION, ...headers },
        body: method === "POST" ? "{}" : "",
      }
      const reply = await send(proxy.url, path, sent)
      expect([reply.status, problemOf(reply).code], `${method} ${path}`).toEqual([403, "PROXY_CROSS_SITE"])
      expect(reply.rawHeaders.join("\n")).not.toMatch(/access-control/i)
    }
    expect(upstream.heard).toEqual([])
  })

  const served: [string, string, Record<string, string>][] = [
    ["a client that is no browser", "localhost:4400", {}],
    ["the desk's own page", "localhost:4400", { Origin: "http://localhost:4400", "Sec-Fetch-Site": "same-origin" }],
    ["an address that a person typed", "localhost:4400", { "Sec-Fetch-Site": "none" }],
    ["https before a front", "desk.test", { Origin: "https://desk.test" }],
    ["https before a front that names its port", "desk.test:443", { Origin: "https://desk.test" }],
    ["http at its default port", "localhost", { Origin: "http://localhost" }],
    ["IPv6", "[::1]:4400", { Origin: "http://[::1]:4400" }],
    ["a host name in capitals", "LOCALHOST:4400", { Origin: "http://localhost:4400" }],
  ]

  it.each(served)("serves %s", async (_, host, headers) => {
    const upstream = await startUpstream(created)
    const proxy = await startTestProxy(upstream.url, {
      configuration: { allowedHosts: ["localhost", "[::1]", "desk.test"] },
    })
    const sent = { method: "POST", headers: { Host: host, ...MUTATION, ...headers }, body: "{}" }
    const reply = await send(proxy.url, "/api/v1/work", sent)
    expect(reply.status).toBe(201)
    expect(reply.rawHeaders.join("\n")).not.toMatch(/access-control/i)
  })

  it("serves the app's files to a link of any site", async () => {
    const proxy = await startTestProxy((await startUpstream()).url)
    expect((await send(proxy.url, "/work", { headers: { "Sec-Fetch-Site": "cross-site" } })).status).toBe(404)
  })
})

describe("the guards of a mutation", () => {
  const MUTATIONS: [string, boolean][] = [
    ["/api/v1/uploads", true],
    ["/api/v1/uploads/u/processing/retry", false],
    ["/api/v1/work", true],
    ["/api/v1/work/w/attention/a/resolve", true],
    ["/api/v1/work/w/approvals/a/resolve", true],
  ]
  const json = { "Content-Type": "application/json" }

  it.each(MUTATIONS)("%s needs an Idempotency-Key of 1 to 255 characters, once", async (path) => {
    const upstream = await startUpstream(created)
    const proxy = await startTestProxy(upstream.url)
    for (const key of [undefined, "", "k".repeat(256), ["one", "two"], ["same", "same"]]) {
      const headers = key === undefined ? json : { ...json, "Idempotency-Key": key }
      const reply = await send(proxy.url, path, { method: "POST", headers, body: "{}" })
      expect([reply.status, problemOf(reply).code.startsWith("PROXY_")], String(key)).toEqual([400, true])
    }
    expect(upstream.heard).toEqual([])
    for (const key of ["k", "k".repeat(255)]) {
      await send(proxy.url, path, { method: "POST", headers: { ...json, "Idempotency-Key": key }, body: "{}" })
    }
    expect(upstream.heard.map(({ headers }) => headers["idempotency-key"])).toEqual(["k", "k".repeat(255)])
  })

  it.each(MUTATIONS.filter(([, hasBody]) => hasBody))("%s accepts only application/json", async (path) => {
    const upstream = await startUpstream(created)
    const proxy = await startTestProxy(upstream.url)
    const key = { "Idempotency-Key": "k" }
    for (const type of [
      undefined,
      "",
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/jsonp",
      "multipart/form-data",
      "text/json",
      "application/json, text/plain",
    ]) {
      const headers = type === undefined ? key : { ...key, "Content-Type": type }
      const reply = await send(proxy.url, path, { method: "POST", headers, body: "{}" })
      expect([reply.status, problemOf(reply).code], String(type)).toEqual([415, "PROXY_MEDIA_TYPE"])
    }
    expect(upstream.heard).toEqual([])
    for (const type of [
      "application/json",
      "Application/JSON",
      "application/json; charset=utf-8",
      "application/json;charset=UTF-8",
    ]) {
      await send(proxy.url, path, { method: "POST", headers: { ...key, "Content-Type": type }, body: "{}" })
    }
    // The desk reads the body as UTF-8, so the parameters do not leave: another parser could read the same bytes otherwise.
    expect(upstream.heard.map(({ headers }) => headers["content-type"])).toEqual(Array(4).fill("application/json"))
  })

  it("an operation without a body needs no Content-Type, and a body is not passed on", async () => {
    const upstream = await startUpstream((_, response) => {
      response.writeHead(202, { "Content-Type": "application/json" })
      response.end("{}")
    })
    const proxy = await startTestProxy(upstream.url)
    const path = "/api/v1/uploads/u/processing/retry"
    expect((await send(proxy.url, path, { method: "POST", headers: { "Idempotency-Key": "k" } })).status).toBe(202)
    expect((await send(proxy.url, path, { method: "POST", headers: MUTATION, body: "{}" })).status).toBe(202)
    expect(upstream.heard.map(({ body, headers }) => [body, headers["content-type"]])).toEqual([
      ["", undefined],
      ["", undefined],
    ])
  })

  it.each(["If-Match", "Content-Type", "Idempotency-Key"])("refuses a repeated %s", async (name) => {
    const upstream = await startUpstream(created)
    const proxy = await startTestProxy(upstream.url)
    const value = name === "Content-Type" ? "application/json" : '"3"'
    const head = `POST /api/v1/work/w/approvals/a/resolve HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n`
    const once = Object.entries(MUTATION).map(([header, text]) => `${header}: ${text}\r\n`)
    const twice = name === "If-Match" ? `If-Match: "2"\r\nif-match: ${value}\r\n` : `${name}: ${value}\r\n`
    expect(await sendRaw(proxy.port, `${head}${once.join("")}${twice}\r\n{}`)).toMatch(/^HTTP\/1\.1 400 /)
    expect(upstream.heard).toEqual([])
  })
})
