/** A front that compresses JSON weakens or rewrites strong ETags. Choices are saved behind it all the same. */
import { once } from "node:events"
import { createServer, request as httpRequest } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { expect, it, onTestFinished } from "vitest"
import { startUpstream } from "../src/desk/testing/upstreams.ts"
import { startSignInProxy } from "../src/desk/testing/sign-in.ts"
import { type Front, isInstalled, startApacheWithDeflate, startNginxWithGzip } from "./testing/compressing-fronts.ts"

const fronts: readonly (readonly [name: string, program: string, start: (desk: URL) => Promise<Front>])[] = [
  ["nginx with gzip", "nginx", startNginxWithGzip],
  ["Apache with DEFLATE", "apache2", (desk) => startApacheWithDeflate(desk, "AddSuffix")],
]

for (const [name, program, start] of fronts) {
  it.skipIf(!isInstalled(program))(
    `choices are saved behind ${name}`,
    () =>
      saveChoices(async (desk) => {
        const front = await start(desk)
        onTestFinished(() => front.stop())
        return front.url
      }),
    60_000,
  )
}

it("choices are saved behind a front that weakens every ETag", () => saveChoices(startWeakening))

async function saveChoices(start: (desk: URL) => Promise<string>): Promise<void> {
  const people = { access: { roles: { reader: ["anyone"] } } }
  const proxy = await startSignInProxy((await startUpstream()).url, { people })
  const ada = await proxy.signIn("Ada", [])
  const front = await start(new URL(proxy.url))
  const ask = async (path: string, init: Omit<RequestInit, "headers"> & { headers?: Record<string, string> } = {}) => {
    const headers = { ...ada, "Accept-Encoding": "gzip", "Content-Type": "application/json", ...init.headers }
    const answer = await fetch(front + path, { ...init, headers })
    return { status: answer.status, header: answer.headers.get("etag"), body: await answer.json() }
  }
  const tagOf = (body: unknown) =>
    typeof body === "object" && body !== null && "etag" in body ? String(body.etag) : '"none"'
  const [until, later] = [1, 2].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  // An address, a choice and a different choice: the same choice sent again would be accepted with any ETag.
  const choices: readonly (readonly [string, (read: object) => object, object])[] = [
    [
      "/desk/views",
      () => ({ views: [{ name: "A view with a name that is long enough for gzip", query: "q=october" }] }),
      { views: [] },
    ],
    ["/desk/notices", (read) => ({ ...read, mail: "daily" }), { mail: "off" }],
    ["/desk/away", () => ({ from: new Date().toISOString(), until, stand_in: null }), { until: later }],
  ]
  for (const [path, change, otherwise] of choices) {
    const put = (body: object, etag: string) =>
      ask(path, { method: "PUT", body: JSON.stringify(body), headers: { "If-Match": etag } })
    const read = await ask(path)
    const saved = await put(change(Object(read.body) as object), tagOf(read.body))
    expect([path, saved.status]).toEqual([path, 200])
    expect(tagOf(saved.body)).toMatch(/^"[^"]+"$/)
    // The header alone would not have served.
    expect(saved.header).not.toBe(tagOf(saved.body))
    // The whole answer may be sent back, and what is not known in it is ignored.
    const again = await put({ ...Object(saved.body), unknown: 1 } as object, tagOf(saved.body))
    expect([path, again.status]).toEqual([path, 200])
    const other = { ...Object(again.body), ...otherwise } as object
    expect((await put(other, '"another"')).status).toBe(412)
  }
}

/** Stands for any front, where neither program is installed. */
async function startWeakening({ host }: URL): Promise<string> {
  const server = createServer((request, response) => {
    const { method = "GET", url = "/", headers } = request
    const sent = httpRequest(`http://${host}${url}`, { method, headers: { ...headers, host } }, (answer) => {
      const chunks: Buffer[] = []
      answer.on("data", (chunk: Buffer) => chunks.push(chunk))
      answer.on("end", () => {
        const { etag, "content-length": _length, ...others } = answer.headers
        const weakened = etag === undefined ? {} : { etag: `W/${etag}` }
        response.writeHead(answer.statusCode ?? 502, { ...others, ...weakened, "content-encoding": "gzip" })
        response.end(gzipSync(Buffer.concat(chunks)))
      })
    })
    request.pipe(sent)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
