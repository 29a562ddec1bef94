/** A front that compresses JSON weakens or rewrites strong ETags. Choices are saved behind it all the same. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { createServer, request as httpRequest } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { expect, it, onTestFinished } from "vitest"
import { startUpstream } from "../src/desk/testing/upstreams.ts"
import { startSignInProxy } from "../src/desk/testing/sign-in.ts"
import { freePort } from "../src/desk/store/testing/free-port.ts"
import { folderForTest } from "../src/desk/store/testing/stores.ts"

type Front = (deskPort: number) => Promise<number>

const isThere = (program: string) => spawnSync(program, ["-v"]).error === undefined

const fronts: readonly (readonly [name: string, program: string, start: Front])[] = [
  ["nginx with gzip", "nginx", startNginx],
  ["Apache with DEFLATE", "apache2", startApache],
]

for (const [name, program, start] of fronts) {
  it.skipIf(!isThere(program))(`choices are saved behind ${name}`, () => saveChoices(start), 60_000)
}

it("choices are saved behind a front that weakens every ETag", () => saveChoices(startWeakening))

async function saveChoices(start: Front): Promise<void> {
  const people = { access: { roles: { reader: ["anyone"] } } }
  const proxy = await startSignInProxy((await startUpstream()).url, { people })
  const ada = await proxy.signIn("Ada", [])
  const port = await start(proxy.port)
  const ask = async (path: string, init: Omit<RequestInit, "headers"> & { headers?: Record<string, string> } = {}) => {
    const headers = { ...ada, "Accept-Encoding": "gzip", "Content-Type": "application/json", ...init.headers }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers })
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

async function startNginx(deskPort: number): Promise<number> {
  const [folder, port] = [await folderForTest(), await freePort()]
  const path = join(folder, "nginx.conf")
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  writeFileSync(
    path,
    `daemon off; pid ${folder}/pid; error_log stderr; events {}
http { access_log off; ${temporary.join(" ")}
  gzip on; gzip_proxied any; gzip_min_length 1; gzip_types application/json;
  server { listen 127.0.0.1:${port}; location / {
    proxy_pass http://127.0.0.1:${deskPort}; proxy_set_header Host localhost; proxy_http_version 1.1; } } }`,
  )
  await running(spawn("nginx", ["-c", path, "-e", "stderr"], { stdio: "pipe" }), port)
  return port
}

async function startApache(deskPort: number): Promise<number> {
  const [folder, port] = [await folderForTest(), await freePort()]
  const path = join(folder, "apache.conf")
  const modules = ["mpm_event", "authz_core", "filter", "deflate", "proxy", "proxy_http"]
  mkdirSync(join(folder, "run"))
  // Apache's workers run as another user.
  chmodSync(folder, 0o755)
  writeFileSync(
    path,
    `ServerRoot ${folder}
ServerName localhost
DefaultRuntimeDir ${folder}/run
PidFile ${folder}/run/pid
ErrorLog ${folder}/errors
${process.getuid?.() === 0 ? "User nobody\nGroup nogroup" : ""}
Listen 127.0.0.1:${port}
${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
ProxyPass / http://127.0.0.1:${deskPort}/ flushpackets=on

AddOutputFilterByType DEFLATE application/json`,
  )
  await running(spawn("apache2", ["-f", path, "-D", "FOREGROUND"], { stdio: "pipe" }), port)
  return port
}

/** Stands for any front, where neither program is installed. */
async function startWeakening(deskPort: number): Promise<number> {
  const server = createServer((request, response) => {
    const { method = "GET", url = "/", headers } = request
    const options = { host: "127.0.0.1", port: deskPort, method, path: url, headers: { ...headers, host: "localhost" } }
    const sent = httpRequest(options, (answer) => {
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
  return (server.address() as AddressInfo).port
}

/** Resolves when the process listens. */
async function running(child: ChildProcess, port: number): Promise<void> {
  let output = ""
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()))
  onTestFinished(async () => {
    const ended = once(child, "exit")
    if (child.exitCode === null && child.kill("SIGTERM")) await ended
  })
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The front did not start: ${output}`)
    const socket = connect(port, "127.0.0.1")
    try {
      await once(socket, "connect")
      return
    } catch {
      await new Promise((resolve) => setImmediate(resolve))
    } finally {
      socket.destroy()
    }
  }
}
