/**
 * The programs that a benchmark measures, each a process of its own: `node roles.ts ROLE [UPSTREAM_URL]`. The first line of the output is
 * the program's port; a desk with sign-in adds the cookie and the id of somebody who has signed in. Several desks share a PostgreSQL:
 * DESK_DATABASE_URL, and in BENCH_SESSION the cookie and the id that the first desk has printed.
 */
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import type { Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Sessions } from "../../../src/desk/people/sessions.ts"
import { openDatabase, type StoreConfiguration } from "../../../src/desk/store/open-store.ts"
import { startDesk } from "../../../src/server.ts"
import { bareWrites, httpProxy3, undiciAlone } from "./other-proxies.ts"
import { TOKEN, upstreamServer } from "./upstream.ts"

/** Nobody listens there. */
const NO_ISSUER = "http://127.0.0.1:1"

const [role = "", upstreamUrl = ""] = process.argv.slice(2)
const roles: Readonly<Record<string, () => Promise<string>>> = {
  upstream: () => listen(upstreamServer()),
  Workdesk: () => desk(newFolder()),
  "Workdesk with sign-in": deskWithSignIn,
  "http-proxy-3": () => listen(httpProxy3(upstreamUrl)),
  "undici alone": () => listen(undiciAlone(upstreamUrl)),
  "bare writes": () => listen(bareWrites(upstreamUrl)),
}
// A signal's default end would skip the listeners of "exit", which remove the folders.
process.once("SIGTERM", () => process.exit())
console.log(await roles[role]?.())

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("No port is free")
  return String(address.port)
}

async function desk(dataFolder: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const environment = {
    PORT: "0",
    DATA_DIR: dataFolder,
    WORK_API_URL: upstreamUrl,
    WORK_API_TOKEN: TOKEN,
    UPSTREAM_STREAMS: "5000",
    ...more,
  }
  const { url } = await startDesk(environment, { log: () => undefined })
  return new URL(url).port
}

/** The session is written into the store, so that no identity provider is needed. */
async function deskWithSignIn(): Promise<string> {
  const folder = newFolder()
  const accessFile = join(folder, "access.json")
  writeFileSync(accessFile, JSON.stringify({ roles: { reader: ["anyone"], delegator: ["anyone"] } }))
  const databaseUrl = process.env["DESK_DATABASE_URL"]
  const session = process.env["BENCH_SESSION"] ?? (await beginSession({ dataFolder: folder, databaseUrl }))
  const port = await desk(folder, {
    OIDC_ISSUER: NO_ISSUER,
    OIDC_CLIENT_ID: "bench",
    PUBLIC_URL: "http://127.0.0.1:9",
    ACCESS_FILE: accessFile,
    PERSON_REQUESTS_PER_MINUTE: "1000000",
    CLIENT_REQUESTS_PER_MINUTE: "1000000",
    ...(databaseUrl !== undefined && { DESK_DATABASE_URL: databaseUrl }),
  })
  return `${port} ${session}`
}

/** Returns the cookie and the person's id. */
async function beginSession(where: StoreConfiguration): Promise<string> {
  const database = await openDatabase(where)
  const identity = { issuer: NO_ISSUER, subject: "ada", groups: [] }
  const limits = { issuer: NO_ISSUER, idleMs: 3_600_000, maxMs: 3_600_000 }
  const begun = { name: "Ada Lovelace", identity, sid: undefined, authTime: undefined }
  const sessions = new Sessions(database, limits, () => true)
  const { value, personId } = await sessions.begin(begun, [])
  sessions.stop()
  await database.close()
  return `workdesk-9=${value} ${personId}`
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "workdesk-bench-"))
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
