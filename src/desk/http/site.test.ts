import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib"
import { describe, expect, it, onTestFinished } from "vitest"
import { problemOf, send, sendRaw, startTestProxy } from "../testing/desk.ts"
import { answerJson, startUpstream } from "../testing/upstreams.ts"

const INDEX = "<!doctype html><title>Workdesk</title>"
const SCRIPT = `console.log(${JSON.stringify("x".repeat(500))})`
const HTML = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

/** A proxy that serves a small build. A secret is beside the build. */
async function startSite(pages: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "workdesk-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const dist = join(folder, "dist")
  mkdirSync(join(dist, "assets"), { recursive: true })
  writeFileSync(join(folder, "secret.txt"), "SECRET")
  writeFileSync(join(dist, "index.html"), INDEX)
  mkdirSync(join(dist, "pages", "work"), { recursive: true })
  for (const [name, html] of Object.entries(pages)) writeFileSync(join(dist, "pages", name), html)
  writeFileSync(join(dist, "icon.svg"), "<svg/>")
  writeFileSync(join(dist, "app.webmanifest"), "{}")
  writeFileSync(join(dist, "assets", "index-abc.js"), SCRIPT)
  writeFileSync(join(dist, "assets", "index-abc.js.br"), brotliCompressSync(SCRIPT))
  writeFileSync(join(dist, "assets", "index-abc.js.gz"), gzipSync(SCRIPT))
  writeFileSync(join(dist, "assets", "index-abc.css"), "a{}")
  symlinkSync(join(folder, "secret.txt"), join(dist, "linked.txt"))
  const upstream = await startUpstream(answerJson)
  return { upstream, proxy: await startTestProxy(upstream.url, { distFolder: dist }) }
}

describe("the app's files", () => {
  it.each([
    ["/index.html", "text/html; charset=utf-8", "no-cache"],
    ["/", "text/html; charset=utf-8", "no-cache"],
    ["/icon.svg", "image/svg+xml", "no-cache"],
    ["/icon.svg?v=2", "image/svg+xml", "no-cache"],
    ["/app.webmanifest", "application/manifest+json", "no-cache"],
    ["/assets/index-abc.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"],
    ["/assets/index-abc.css", "text/css; charset=utf-8", "public, max-age=31536000, immutable"],
  ])("%s is %s, %s", async (path, type, caching) => {
    const { proxy } = await startSite()
    const reply = await send(proxy.url, path)
    expect(reply.status).toBe(200)
    expect(reply.headers).toMatchObject({
      "content-type": type,
      "cache-control": caching,
      vary: "Accept-Encoding",
      "content-length": String(reply.body.length),
    })
    expect(reply.headers.etag).toMatch(/^"[\w-]+"$/)
  })

  it.each([
    "/work",
    "/work/new",
    "/work/w1",
    "/work/a.b.c",
    "/work/report.js",
    "/work/%2e%2e",
    "/needs-you?item=1",
    "/x/y/z",
    "/desktop",
    "/apix",
    "/API/v1/work",
    "/assets",
    "/../secret.txt",
    "/index.html/",
  ])("a navigation to %s gets index.html, any other request 404", async (path) => {
    const { proxy } = await startSite()
    const page = await send(proxy.url, path, { headers: HTML })
    expect([page.status, page.text, page.headers["cache-control"]]).toEqual([200, INDEX, "no-cache"])
    for (const headers of [{}, { Accept: "*/*" }, { Accept: "application/json" }]) {
      const other = await send(proxy.url, path, { headers })
      expect([other.status, problemOf(other).code]).toEqual([404, "PROXY_PATH_UNKNOWN"])
    }
  })

  it.each([
    ["/", "the list"],
    ["/work", "the list"],
    ["/work?status=done", "the list"],
    ["/approvals", "the approvals"],
    ["/work/new", "new Work"],
    ["/work/w1", "one Work"],
    ["/work/%5Bid%5D", "one Work"],
    ["/approvals/", INDEX],
    ["/work/w1/more", INDEX],
    ["/record", INDEX],
  ])("a navigation to %s gets the HTML file that preloads for its page, else index.html", async (path, content) => {
    const { proxy } = await startSite({
      "work.html": "the list",
      "approvals.html": "the approvals",
      "work/new.html": "new Work",
      "work/[id].html": "one Work",
    })
    const page = await send(proxy.url, path, { headers: HTML })
    expect([page.status, page.text, page.headers["cache-control"]]).toEqual([200, content, "no-cache"])
  })

  it.each([
    "/assets/",
    "/assets/nothing.js",
    "/assets/../index.html",
    "/assets/%2e%2e/index.html",
    "/assets/index-abc.js/",
    "/assets/index-abc.js.br",
    "/assets/work",
  ])("%s is 404 for everybody", async (path) => {
    const { proxy } = await startSite()
    expect((await send(proxy.url, path, { headers: HTML })).status).toBe(404)
    expect((await send(proxy.url, path)).status).toBe(404)
  })

  it.each([
    "/../secret.txt",
    "/../../../../etc/passwd",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/..\\secret.txt",
    "/..%5csecret.txt",
    "//secret.txt",
    "/assets/../../secret.txt",
    "/linked.txt",
    "/.env",
    "/secret.txt%00.js",
    "/assets/..%2f..%2fsecret.txt",
    "/@fs/etc/passwd",
    "/package.json",
    "/src/server.ts",
  ])("%s reads nothing outside the build", async (path) => {
    const { proxy } = await startSite()
    for (const headers of [{}, HTML]) {
      const reply = await send(proxy.url, path, { headers })
      expect(reply.text).not.toMatch(/SECRET|root:/)
      expect(headers === HTML ? [200, 404] : [404]).toContain(reply.status)
    }
  })

  it.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])("%s is 405", async (method) => {
    const { proxy, upstream } = await startSite()
    for (const path of ["/", "/work", "/assets/index-abc.js"]) {
      const reply = await send(proxy.url, path, { method, headers: HTML })
      expect([reply.status, reply.headers.allow]).toEqual([405, "GET, HEAD"])
    }
    expect(await sendRaw(proxy.port, "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 405 /,
    )
    expect(upstream.heard).toEqual([])
  })

  it("HEAD is GET without the body", async () => {
    const { proxy } = await startSite()
    for (const path of ["/", "/assets/index-abc.js", "/nothing"]) {
      const [head, get] = [await send(proxy.url, path, { method: "HEAD" }), await send(proxy.url, path)]
      expect([head.status, head.text, head.headers["content-length"], head.headers.etag]).toEqual([
        get.status,
        "",
        get.headers["content-length"],
        get.headers.etag,
      ])
    }
  })
})

describe("encodings", () => {
  it.each([
    ["br", "br"],
    ["gzip", "gzip"],
    ["gzip, deflate, br, zstd", "br"],
    ["GZIP", "gzip"],
    ["br;q=0.5, gzip;q=0.9", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["br; q=0.000, gzip; q=0", undefined],
    ["*", "br"],
    ["*;q=0.1, br;q=0", "gzip"],
    ["identity, br;q=0.5", undefined],
    ["deflate", undefined],
    ["", undefined],
    ["br;q=x", undefined],
  ])("Accept-Encoding %s gets %s", async (accepted, expected) => {
    const { proxy } = await startSite()
    const reply = await send(proxy.url, "/assets/index-abc.js", { headers: { "Accept-Encoding": accepted } })
    expect(reply.headers["content-encoding"]).toBe(expected)
    const plain =
      expected === "br" ? brotliDecompressSync(reply.body) : expected === "gzip" ? gunzipSync(reply.body) : reply.body
    expect(plain.toString()).toBe(SCRIPT)
    expect(reply.headers).toMatchObject({ vary: "Accept-Encoding", "content-type": "text/javascript; charset=utf-8" })
  })

  it("a file without a compressed form is sent as it is", async () => {
    const { proxy } = await startSite()
    const reply = await send(proxy.url, "/icon.svg", { headers: { "Accept-Encoding": "br, gzip" } })
    expect([reply.text, reply.headers["content-encoding"]]).toEqual(["<svg/>", undefined])
  })

  it("API answers are never compressed", async () => {
    const { proxy } = await startSite()
    for (const path of ["/api/v1/work", "/desk/session", "/desk/health"]) {
      const reply = await send(proxy.url, path, { headers: { "Accept-Encoding": "br, gzip" } })
      expect([reply.headers["content-encoding"], reply.headers["cache-control"]]).toEqual([undefined, "no-store"])
    }
  })
})

it("ETag and 304: for each encoding, in a list, weak, and with a star", async () => {
  const { proxy } = await startSite()
  const path = "/assets/index-abc.js"
  const [plain, packed] = [
    await send(proxy.url, path),
    await send(proxy.url, path, { headers: { "Accept-Encoding": "br" } }),
  ]
  const [tag = "", packedTag = ""] = [plain.headers.etag, packed.headers.etag]
  expect(tag).not.toBe(packedTag)
  const ask = async (ifNoneMatch: string, encoding = "") => {
    const headers = { "If-None-Match": ifNoneMatch, "Accept-Encoding": encoding }
    return send(proxy.url, path, { headers })
  }
  const fresh = [await ask(tag), await ask(packedTag, "br"), await ask(`"other", W/${tag}`), await ask("*")]
  expect(fresh.map(({ status, text, headers }) => [status, text, headers["cache-control"]])).toEqual(
    fresh.map(() => [304, "", "public, max-age=31536000, immutable"]),
  )
  expect((await ask('"other"')).status).toBe(200)
  expect((await ask(tag, "br")).status).toBe(200)
  expect(
    (
      await send(proxy.url, "/", {
        headers: { "If-None-Match": (await send(proxy.url, "/work", { headers: HTML })).headers.etag ?? "" },
      })
    ).status,
  ).toBe(304)
})

describe("the security headers", () => {
  it("are on every answer", async () => {
    const { proxy } = await startSite()
    const paths: [string, Record<string, string>][] = [
      ["/", {}],
      ["/work", HTML],
      ["/nothing", {}],
      ["/assets/index-abc.js", {}],
      ["/assets/nothing", {}],
      ["/api/v1/work", {}],
      ["/api/nothing", {}],
      ["/desk/session", {}],
      ["/desk/health", {}],
      ["/desk/nothing", {}],
      ["/work", { Host: "evil.test" }],
      ["/api/v1/work", { Origin: "null" }],
      ["/", { "If-None-Match": "*" }],
    ]
    for (const [path, headers] of paths) {
      for (const method of ["GET", "HEAD", "POST"]) {
        const reply = await send(proxy.url, path, { method, headers })
        expect(reply.headers, `${method} ${path}`).toMatchObject({
          "x-content-type-options": "nosniff",
          "referrer-policy": "no-referrer",
          "cross-origin-opener-policy": "same-origin",
          "cross-origin-resource-policy": "same-origin",
          "permissions-policy": expect.stringContaining("camera=()"),
          "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
        })
        expect(reply.rawHeaders.join("\n")).not.toMatch(/access-control|x-powered-by|^server$/im)
      }
    }
  })

  it("give pages a policy without inline script, with Trusted Types", async () => {
    const { proxy } = await startSite()
    const policy = (await send(proxy.url, "/work", { headers: HTML })).headers["content-security-policy"]
    expect(policy).not.toMatch(/unsafe|\*|http/)
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
    ]) {
      expect(policy).toContain(part)
    }
  })
})

it("the build is a hash of all files, the same on every desk, and a page learns it with its head", async () => {
  const builds = await Promise.all(
    [{}, {}, { "record.html": "<!doctype html><title>Record</title>" }].map(async (pages) => {
      const { proxy } = await startSite(pages)
      const session = await send(proxy.url, "/desk/session")
      const { build }: { build?: string } = JSON.parse(session.text)
      const page = await send(proxy.url, "/work", { headers: HTML })
      expect(page.headers["server-timing"]).toBe(`build;desc="${build}"`)
      const again = await send(proxy.url, "/work", { headers: { ...HTML, "If-None-Match": page.headers.etag ?? "" } })
      expect([again.status, again.headers["server-timing"]]).toEqual([304, page.headers["server-timing"]])
      return build
    }),
  )
  expect(builds[0]).toMatch(/^[\w-]{22}$/)
  expect(builds[1]).toBe(builds[0])
  expect(builds[2]).not.toBe(builds[0])
})

it("without a build every path is 404, and the API works", async () => {
  const proxy = await startTestProxy((await startUpstream()).url)
  expect((await send(proxy.url, "/", { headers: HTML })).status).toBe(404)
  expect((await send(proxy.url, "/api/v1/work")).status).toBe(200)
})

it("in development another server serves the files, behind the same Host guard", async () => {
  const proxy = await startTestProxy((await startUpstream()).url, {
    fallback: (_, response) => response.end("from vite"),
  })
  const reply = await send(proxy.url, "/src/main.tsx")
  expect([reply.text, reply.headers["x-content-type-options"]]).toEqual(["from vite", "nosniff"])
  expect((await send(proxy.url, "/", { headers: { Host: "evil.test" } })).status).toBe(421)
  expect((await send(proxy.url, "/api/nothing")).status).toBe(404)
})
