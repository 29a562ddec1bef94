import { describe, expect, it } from "vitest"
import { BROKEN } from "../testing/concealed-walk.ts"
import { CANARY, MUTATION, send, startTestProxy } from "../testing/desk.ts"
import { reply, startUpstream } from "../testing/upstreams.ts"

describe("headers to the upstream", () => {
  it("pass when they are listed, and Connection removes none", async () => {
    const upstream = await startUpstream()
    const proxy = await startTestProxy(upstream.url)
    await send(proxy.url, "/api/v1/work/w/approvals/a/resolve", {
      method: "POST",
      headers: {
        ...MUTATION,
        Accept: "application/json",
        "If-Match": '"3"',
        Connection: "close, If-Match, Idempotency-Key, Authorization",
        Authorization: "Bearer of-somebody-else",
        Cookie: "session=1",
        "Accept-Encoding": "gzip, br",
        "User-Agent": "test",
        Referer: "http://localhost/",
        "X-Forwarded-For": "1.2.3.4",
        Forwarded: "for=1.2.3.4",
        Range: "bytes=0-1",
        "If-None-Match": '"x"',
        "X-HTTP-Method-Override": "DELETE",
        TE: "trailers",
        Origin: `http://127.0.0.1:${proxy.port}`,
      },
      body: '{"decision":"approve"}',
    })
    const [heard] = upstream.heard
    expect(heard?.body).toBe('{"decision":"approve"}')
    expect(heard?.headers).toEqual({
      host: new URL(upstream.url).host,
      connection: "keep-alive",
      authorization: `Bearer ${CANARY}`,
      "accept-encoding": "identity",
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/),
      accept: "application/json",
      "content-type": "application/json",
      "idempotency-key": "key-1",
      "if-match": '"3"',
      "content-length": "22",
    })
  })

  it("Last-Event-ID passes only for streams", async () => {
    const upstream = await startUpstream((heard, response) =>
      reply(200, heard.url.endsWith("/events") ? "text/event-stream" : "application/json", "{}")(heard, response),
    )
    const proxy = await startTestProxy(upstream.url)
    await send(proxy.url, "/api/v1/work/w/events", { headers: { "Last-Event-ID": "7" } })
    await send(proxy.url, "/api/v1/work/w", { headers: { "Last-Event-ID": "7" } })
    expect(upstream.heard.map(({ headers, url }) => [url, headers["last-event-id"]])).toEqual([
      ["/api/v1/work/w/events", "7"],
      ["/api/v1/work/w", undefined],
    ])
  })
})

describe("headers to the client", () => {
  it("pass when they are listed, and no other header passes", async () => {
    const upstream = await startUpstream(
      reply(201, "application/json", "{}", {
        ETag: '"3"',
        Location: "/api/v1/work/w",
        "Idempotent-Replayed": "true",
        RateLimit: '"write";r=1;t=2',
        "Set-Cookie": ["a=1", "b=2"],
        Server: "x",
        "X-Powered-By": "x",
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Credentials": "true",
        "Content-Security-Policy": "default-src *",
        "Cache-Control": "public, max-age=9",
        Link: "</x>; rel=preload",
        "Strict-Transport-Security": "max-age=1",
        Refresh: "0;url=http://evil.test",
        "Content-Language": "en",
        Vary: "*",
        "WWW-Authenticate": "Bearer",
        "Clear-Site-Data": '"*"',
        "Alt-Svc": "h3",
        "X-Request-Id": "u",
        Date: "x",
        Trailer: "y",
        Age: "3",
      }),
    )
    const proxy = await startTestProxy(upstream.url)
    const answer = await send(proxy.url, "/api/v1/work", { method: "POST", headers: MUTATION, body: "{}" })
    const ours = [
      "x-content-type-options",
      "referrer-policy",
      "cross-origin-opener-policy",
      "cross-origin-resource-policy",
      "permissions-policy",
      "x-frame-options",
      "content-security-policy",
      "cache-control",
    ]
    const nodes = ["date", "connection"]
    const passed = ["content-type", "etag", "location", "idempotent-replayed", "ratelimit", "content-length"]
    expect(Object.keys(answer.headers).toSorted()).toEqual([...ours, ...nodes, ...passed].toSorted())
    expect(answer.headers).toMatchObject({
      etag: '"3"',
      "idempotent-replayed": "true",
      "cache-control": "no-store",
      "content-length": "2",
    })
    expect(answer.headers["date"]).not.toBe("x")
  })

  it.each([
    ["25", "Mon, 01 Jan 2024 10:00:00 GMT", "25"],
    // The service's clock is years slow, and the desk's answer has a Date of its own.
    ["Mon, 01 Jan 2024 10:00:25 GMT", "Mon, 01 Jan 2024 10:00:00 GMT", "25"],
    ["Mon, 01 Jan 2024 09:00:00 GMT", "Mon, 01 Jan 2024 10:00:00 GMT", "0"],
    ["soon", "Mon, 01 Jan 2024 10:00:00 GMT", undefined],
    ["1.5", "Mon, 01 Jan 2024 10:00:00 GMT", undefined],
    ["-1", "Mon, 01 Jan 2024 10:00:00 GMT", undefined],
    [["3", "4"], "Mon, 01 Jan 2024 10:00:00 GMT", undefined],
  ])("Retry-After %s at %s leaves as the seconds %s", async (wait, date, expected) => {
    const headers = { "Retry-After": wait, Date: date }
    const upstream = await startUpstream(reply(503, "application/problem+json", JSON.stringify(BROKEN), headers))
    const proxy = await startTestProxy(upstream.url)
    const answer = await send(proxy.url, "/api/v1/work/w")
    expect([answer.status, answer.headers["retry-after"]]).toEqual([503, expected])
  })

  it.each([
    ["/base/api/v1/work/w", "/api/v1/work/w"],
    ["{origin}/base/api/v1/work/w%2Fx?y=1#z", "/api/v1/work/w%2Fx?y=1"],
    ["{origin}/api/v1/work/w", "/api/v1/work/w"],
    ["work/w", "/api/v1/work/w"],
    ["http://evil.test/base/api/v1/work/w", undefined],
    ["//evil.test/api/v1/work/w", undefined],
    ["{origin}@evil.test/api/v1/work/w", undefined],
    ["/base/login", undefined],
    ["/base/api/v1/../../login", undefined],
    ["/api/v1", undefined],
    ["https://{host}/base/api/v1/work/w", undefined],
    ["javascript:alert(1)", undefined],
    ["http://[", undefined],
    [`/base/api/v1/work/${CANARY}`, undefined],
  ])("Location %s leaves as %s", async (location, expected) => {
    const upstream = await startUpstream((heard, response) => {
      const filled = location
        .replace("{origin}", `http://${heard.headers.host}`)
        .replace("{host}", heard.headers.host ?? "")
      reply(201, "application/json", "{}", { Location: filled })(heard, response)
    })
    const proxy = await startTestProxy(`${upstream.url}/base`)
    const answer = await send(proxy.url, "/api/v1/work", { method: "POST", headers: MUTATION, body: "{}" })
    expect([answer.status, answer.headers.location]).toEqual([201, expected])
  })
})
