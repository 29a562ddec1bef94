/** Mistakes of an operator, and the line of `--check` or the start that names each mistake and what to change. */
import { createServer } from "node:http"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { request } from "undici"
import { expect, it, onTestFinished, describe } from "vitest"
import { type RunningDesk, startDesk } from "../../server.ts"
import { parseObject } from "../../platform/http/json-object.ts"
import { openDatabase } from "../../desk/store/open-store.ts"
import { lockSqlite } from "../../desk/store/sqlite-store.ts"
import { freePort } from "../../desk/store/testing/free-port.ts"
import { folderForTest } from "../../desk/store/testing/stores.ts"
import { PostgresServer } from "../../desk/store/testing/postgres.ts"
import { MailServerForTest } from "../../desk/notices/testing/mail-server.ts"
import { startUpstream } from "../../desk/testing/upstreams.ts"
import { openStore } from "../../service/store/open-service-store.ts"
import { NOBODY } from "../../service/testing/test-service.ts"
import { runProgram } from "../testing/run-command.ts"
import { goodVariables, READER_TOKEN, startFront, startNginx, type Variables } from "../testing/good-desk.ts"
import type { CheckLine } from "./check-line.ts"
import { runChecks } from "./run-checks.ts"

/** The lines that aren't good, except the app's: whether it is built depends on the machine. */
const faultsIn = (lines: readonly CheckLine[]) => lines.filter(({ good, check }) => !good && check !== "app")
const faultsOf = async (variables: Variables) => faultsIn(await runChecks(variables))

it("finds no fault in a good desk, and creates no files", async () => {
  const variables = await goodVariables()
  const lines = await runChecks(variables)
  expect(faultsIn(lines)).toEqual([])
  expect(existsSync(variables["DATA_DIR"] ?? "")).toBe(false)
  expect(lines.map(({ check }) => check)).toEqual(
    expect.arrayContaining(["service scopes", "client secret", "provider clock", "redirect address", "PUBLIC_URL"]),
  )
})

type Mistake = {
  readonly change: (good: Variables) => Promise<Variables> | Variables
  readonly check: string
  /** The line's result, and what to change. */
  readonly says: readonly [RegExp, RegExp]
  /** The error that ends the start, or the line in the log. Left out if the start can't notice the mistake. */
  readonly start?: RegExp
  /** The page at a sign-in. */
  readonly page?: readonly [status: number, text: RegExp]
}

const nobodyListens = "http://127.0.0.1:9"

/** A provider whose own issuer ends with a slash. @returns its issuer without the slash */
async function startSlashedProvider(): Promise<string> {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}/realms/desk`
  const server = createServer((_, response) => {
    const [authorization_endpoint, token_endpoint, jwks_uri] = ["auth", "token", "keys"].map(
      (path) => `${issuer}/${path}`,
    )
    response.writeHead(200, { "Content-Type": "application/json" })
    response.end(JSON.stringify({ issuer: `${issuer}/`, authorization_endpoint, token_endpoint, jwks_uri }))
  })
  await once(server.listen(port, "127.0.0.1"), "listening")
  onTestFinished(() => void server.close())
  return issuer
}

const MISTAKES: Readonly<Record<string, Mistake>> = {
  "a variable with a typing error": {
    change: (good) => ({ ...good, ALLOWED_HOST: "desk.example" }),
    check: "variables",
    says: [/ALLOWED_HOST .* did you mean ALLOWED_HOSTS/, /correct the name/],
    start: /ALLOWED_HOST .* did you mean ALLOWED_HOSTS/,
  },
  "a value that contradicts another": {
    change: (good) => Object.fromEntries(Object.entries(good).filter(([name]) => name !== "OIDC_ISSUER")),
    check: "configuration",
    says: [/OIDC_\w+ is set, but OIDC_ISSUER is not/, /correct OIDC_/],
    start: /^OIDC_\w+ is set, but OIDC_ISSUER is not/,
  },
  "a folder that cannot be written": {
    change: (good) => ({ ...good, DATA_DIR: "/proc/workdesk" }),
    check: "data folder",
    says: [/can't write to DATA_DIR/, /owns and can write/],
    start: /^DATA_DIR can't be written/,
  },
  "a schema of a newer version": {
    change: async (good) => {
      const database = await openDatabase({ dataFolder: good["DATA_DIR"] ?? "", databaseUrl: undefined })
      await database.write("UPDATE schema_version SET version = 99")
      await database.close()
      return good
    },
    check: "schema",
    says: [/a newer version of Workdesk wrote the data/, /install that version again, or restore/],
    start: /^DATA_DIR: a newer version of Workdesk wrote the data/,
  },
  "two desks on one SQLite": {
    change: (good) => {
      const lock = lockSqlite(good["DATA_DIR"] ?? "")
      onTestFinished(() => lock[Symbol.dispose]())
      return good
    },
    check: "data folder",
    says: [/another desk uses this DATA_DIR/, /DESK_DATABASE_URL/],
    start: /^DATA_DIR is in use by another desk: several desks need DESK_DATABASE_URL$/,
  },
  "a port that another program has": {
    change: async (good) => {
      const server = createServer((_, response) => void response.end("something else"))
      await once(server.listen(Number(good["PORT"]), "127.0.0.1"), "listening")
      onTestFinished(() => void server.close())
      return good
    },
    check: "port",
    says: [/PORT is in use by another program/, /another PORT/],
    start: /^PORT is in use by another program$/,
  },
  "an address where no service is": {
    change: (good) => ({ ...good, WORK_API_URL: nobodyListens }),
    check: "service",
    says: [/refused: nothing listens/, /WORK_API_URL/],
    start: /does not answer \(refused\): check WORK_API_URL/,
  },
  "an address with the wrong path": {
    change: (good) => ({ ...good, WORK_API_URL: `${good["OIDC_ISSUER"] ?? ""}/wrong` }),
    check: "service",
    says: [/not as the Work Delegation API does/, /path of WORK_API_URL/],
    start: /does not answer \(not_the_operation\): check WORK_API_URL/,
  },
  "a token that the service refuses": {
    change: (good) => ({ ...good, WORK_API_TOKEN: "wrong-token-5e1f" }),
    check: "service token",
    says: [/refuses the token \(401\)/, /WORK_API_TOKEN/],
    start: /refuses the token \(401\): change WORK_API_TOKEN/,
  },
  "a token without a scope": {
    change: (good) => ({ ...good, WORK_API_TOKEN: READER_TOKEN }),
    check: "service scopes",
    says: [/createInputUpload.*createWork.*resolveWorkApproval/, /upload:create.*work:create.*approval:resolve/],
  },
  "a token without any scope": {
    change: (good) => ({ ...good, WORK_API_TOKEN: NOBODY }),
    check: "service scopes",
    says: [/listWork/, /work:read/],
    start: /refuses listWork \(403\): the token of WORK_API_TOKEN lacks the scope work:read/,
  },
  "a service whose clock is 10 minutes off": {
    change: async (good) => {
      const date = new Date(Date.now() - 600_000).toUTCString()
      const front = await startFront(good["WORK_API_URL"] ?? "", { headers: { date } })
      return { ...good, WORK_API_URL: front }
    },
    check: "service clock",
    says: [/(?:599|600|601) s behind/, /synchronize the clocks/],
  },
  "a front that compresses the service's answers": {
    change: async (good) => {
      const headers = { "content-encoding": "gzip" }
      return { ...good, WORK_API_URL: await startFront(good["WORK_API_URL"] ?? "", { headers }) }
    },
    check: "service",
    says: [/compresses its responses/, /turn off compression/],
    start: /does not answer \(not_the_operation\): check WORK_API_URL/,
  },
  "a certificate for another name": {
    change: async (good) => {
      const [folder, port] = [await folderForTest(), await freePort()]
      const subject = ["-subj", "/CN=other.example", "-addext", "subjectAltName=DNS:other.example"]
      const files = ["-keyout", join(folder, "key"), "-out", join(folder, "crt")]
      spawnSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...files, ...subject])
      const server = `ssl; ssl_certificate ${folder}/crt; ssl_certificate_key ${folder}/key;`
      await startNginx(port, { server, location: `proxy_pass ${good["WORK_API_URL"] ?? ""};` })
      return { ...good, WORK_API_URL: `https://localhost:${port}` }
    },
    check: "service",
    says: [/certificate (?:is for another name|comes from an unknown authority)/, /WORK_API_URL.*certificate/],
    start: /does not answer \(certificate\): check WORK_API_URL/,
  },
  "a provider's issuer with a slash": {
    change: async (good) => {
      const provider = await startSlashedProvider()
      return { ...good, OIDC_ISSUER: provider }
    },
    check: "provider",
    says: [/add the slash to OIDC_ISSUER/, /OIDC_ISSUER/],
    start: /add the slash to OIDC_ISSUER/,
    page: [502, /identity provider sent no valid response[^]*log/],
  },
  "a provider that does not answer": {
    change: async (good) => ({ ...good, OIDC_ISSUER: `http://127.0.0.1:${await freePort()}` }),
    check: "provider",
    says: [/refused: nothing listens/, /OIDC_ISSUER/],
    start: /The identity provider can't be used yet: .*ECONNREFUSED/,
    page: [502, /identity provider isn't responding/],
  },
  "a wrong client secret": {
    change: (good) => ({ ...good, OIDC_CLIENT_SECRET: "wrong-secret-77aa" }),
    check: "client secret",
    says: [/refuses the client or its secret/, /OIDC_CLIENT_SECRET/],
  },
  "a redirect address that is not registered": {
    change: (good) => ({ ...good, PUBLIC_URL: `http://localhost:${good["PORT"] ?? ""}` }),
    check: "redirect address",
    says: [
      /refuses to start a sign-in \(400\)/,
      /register the redirect address http:\/\/localhost:\d+\/desk\/sign-in\/callback/,
    ],
  },
  "a scope that the provider does not have": {
    change: (good) => ({ ...good, OIDC_SCOPES: "openid profile email groups" }),
    check: "claims",
    says: [/no scope groups/, /OIDC_SCOPES/],
    start: /no scope groups: .*OIDC_SCOPES/,
  },
  "an access file in which nobody approves": {
    change: async (good) => {
      await writeFile(good["ACCESS_FILE"] ?? "", '{"roles":{"reader":["anyone"]}}')
      return good
    },
    check: "access file",
    says: [/nobody has the approver role/, /ACCESS_FILE/],
    start: /nobody: ACCESS_FILE names no approver/,
  },
  "a mail server that refuses the password": {
    change: async (good) => {
      const server = await MailServerForTest.start({ auth: { user: "desk", pass: "right" } })
      const url = `smtp://desk:wrong-password-9b@127.0.0.1:${server.port}`
      return { ...good, SMTP_URL: url, NOTICE_FROM: "desk@example.com" }
    },
    check: "mail",
    says: [/refuses the login \(535\)/, /SMTP_URL/],
  },
  "a webhook whose host has no address": {
    change: (good) => ({
      ...good,
      NOTICE_WEBHOOK_URL: "https://hooks.invalid/x",
      NOTICE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24).toString("base64")}`,
    }),
    check: "webhook",
    says: [/hooks\.invalid: its host name has no address/, /NOTICE_WEBHOOK_URL/],
  },
  "an address that leads nowhere": {
    change: (good) => ({ ...good, PUBLIC_URL: nobodyListens }),
    check: "PUBLIC_URL",
    says: [/refused/, /PUBLIC_URL/],
  },
}

/** Starts the desk, and expects that its error or its log names the mistake. */
async function expectStart(variables: Variables, says: RegExp, page: Mistake["page"]): Promise<void> {
  const lines: string[] = []
  const log = (line: string) => void lines.push(String(parseObject(line)?.["message"]), line)
  let running: RunningDesk
  try {
    running = await startDesk(variables, { log })
  } catch (error) {
    expect(error instanceof Error ? error.message : "").toMatch(says)
    return
  }
  onTestFinished(() => running.stop())
  running.announce()
  await expect.poll(() => lines.filter((line) => says.test(line)), { timeout: 10_000 }).not.toEqual([])
  if (page === undefined) return
  const headers = { host: new URL(variables["PUBLIC_URL"] ?? "").host, accept: "text/html" }
  const answer = await request(`${running.url}/desk/sign-in?return=/work`, { headers })
  expect(answer.statusCode).toBe(page[0])
  expect(await answer.body.text()).toMatch(page[1])
}

describe("each mistake is named with the place to change", () => {
  it.each(Object.entries(MISTAKES))("%s", async (_, { change, check, says, start, page }) => {
    const variables = await change(await goodVariables())
    const faults = await faultsOf(variables)
    expect(faults).toContainEqual(expect.objectContaining({ check }))
    const line = faults.find((each) => each.check === check)
    expect(line?.found).toMatch(says[0])
    expect(line?.change).toMatch(says[1])
    const printed = JSON.stringify(faults)
    for (const name of ["WORK_API_TOKEN", "OIDC_CLIENT_SECRET", "SMTP_URL", "DATA_DIR", "ACCESS_FILE"])
      expect(printed).not.toContain(variables[name] ?? "there is none")
    expect(printed).not.toContain("wrong-password-9b")
    if (start !== undefined) await expectStart(variables, start, page)
  })
})

describe("a proxy in front", () => {
  const passing = (port: string, more = "") =>
    `proxy_pass http://127.0.0.1:${port}; proxy_http_version 1.1; proxy_set_header Host $http_host;
     proxy_set_header X-Forwarded-For $remote_addr; ${more}`
  const cases: readonly (readonly [string, (port: string) => string, RegExp | undefined, RegExp])[] = [
    ["that passes everything on", (port) => passing(port), undefined, /./],
    [
      "that replaces Host and sends no X-Forwarded-For",
      (port) => `proxy_pass http://127.0.0.1:${port};`,
      /replaces the Host header/,
      /proxy_set_header Host/,
    ],
    [
      "that compresses event streams",
      (port) => passing(port, "gzip on; gzip_proxied any; gzip_min_length 1; gzip_types text/event-stream;"),
      /compresses event streams/,
      /gzip_types/,
    ],
  ]
  it.each(cases)("%s", async (_, location, found, change) => {
    const front = await freePort()
    const variables: Variables = {
      ...(await goodVariables(`http://localhost:${front}`)),
      TRUSTED_PROXIES: "127.0.0.1",
    }
    await startNginx(front, { location: location(variables["PORT"] ?? "") })
    const faults = await faultsOf(variables)
    if (found === undefined) return expect(faults).toEqual([])
    expect(faults).toContainEqual({
      check: "proxy",
      good: false,
      found: expect.stringMatching(found) as string,
      change: expect.stringMatching(change) as string,
    })
  })

  it("that delays event streams", async () => {
    const front = await freePort()
    const variables = await goodVariables(`http://localhost:${front}`)
    await startFront(`http://127.0.0.1:${variables["PORT"] ?? ""}`, { port: front, isBuffering: true })
    expect(await faultsOf(variables)).toEqual([
      expect.objectContaining({ check: "proxy", found: "the proxy delays event streams" }),
    ])
  })

  it("whose address is not trusted", async () => {
    const front = await freePort()
    const variables = await goodVariables(`http://localhost:${front}`)
    await startNginx(front, { location: passing(variables["PORT"] ?? "") })
    expect(await faultsOf(variables)).toEqual([
      expect.objectContaining({ check: "proxy", change: "set TRUSTED_PROXIES=127.0.0.1" }),
    ])
  })

  it("that leads elsewhere", async () => {
    const front = await freePort()
    const variables = await goodVariables(`http://localhost:${front}`)
    await startNginx(front, { location: "return 404;" })
    expect(await faultsOf(variables)).toEqual([
      expect.objectContaining({
        check: "PUBLIC_URL",
        found: expect.stringMatching(/isn't a desk \(404, nginx/) as string,
      }),
    ])
  })
})

describe("PostgreSQL", () => {
  it("is checked for the password, the database, the schema and the clock", { timeout: 60_000 }, async () => {
    const postgres = await PostgresServer.start()
    onTestFinished(() => postgres.stop())
    const databaseUrl = await postgres.newDatabase()
    const good = { ...(await goodVariables()), DESK_DATABASE_URL: databaseUrl }
    expect(await faultsOf(good)).toEqual([])
    expect(await runChecks(good)).toContainEqual(expect.objectContaining({ check: "database clock", good: true }))
    const changed: readonly (readonly [(url: URL) => unknown, RegExp, RegExp])[] = [
      [(url) => (url.password = "wrong-password-9b"), /refuses the user or the password/, /DESK_DATABASE_URL/],
      [(url) => (url.pathname = "/missing"), /no such database/, /create the database/],
      [(url) => (url.port = "9"), /refused: nothing listens/, /DESK_DATABASE_URL/],
      [
        (url) => url.searchParams.set("sslrootcert", "/missing/ca.pem"),
        /can't be used \(ENOENT\)/,
        /DESK_DATABASE_URL/,
      ],
    ]
    for (const [change, found, says] of changed) {
      const url = new URL(databaseUrl)
      change(url)
      const [line, ...others] = await faultsOf({ ...good, DESK_DATABASE_URL: url.href })
      expect(others).toEqual([])
      expect(line?.found).toMatch(found)
      expect(line?.change).toMatch(says)
    }
    const database = await openDatabase({ dataFolder: "/unused", databaseUrl })
    await database.write("UPDATE schema_version SET version = 99")
    await database.close()
    expect(await faultsOf(good)).toEqual([expect.objectContaining({ check: "schema" })])
  })
})

it("shows no control characters of the service", async () => {
  const upstream = await startUpstream((_, response) => {
    response.writeHead(200, { "Content-Type": "application/json" })
    response.end('{"data":[{"id":"work_1","created_by":"sa_\\u001b[31m"}]}')
  })
  const found = "accepted, for account sa_\u{FFFD}[31m"
  const lines = await runChecks({ ...(await goodVariables()), WORK_API_URL: upstream.url })
  expect(lines).toContainEqual({ check: "service token", good: true, found })
})

it("names data of the embedded service that a newer version has written", async () => {
  const dataFolder = await folderForTest()
  expect(await faultsOf({ DATA_DIR: dataFolder, PORT: "0" })).toEqual([])
  openStore(join(dataFolder, "service")).close()
  const database = new DatabaseSync(join(dataFolder, "service", "service.db"))
  database.exec("PRAGMA user_version = 99")
  database.close()
  expect(await faultsOf({ DATA_DIR: dataFolder, PORT: "0" })).toEqual([
    expect.objectContaining({ check: "service", change: expect.stringContaining("install that version") as string }),
  ])
})

it("a schema of an older version is good, and a backup is advised", async () => {
  const good = await goodVariables()
  const dataFolder = good["DATA_DIR"] ?? ""
  await (await openDatabase({ dataFolder, databaseUrl: undefined })).close()
  const database = new DatabaseSync(join(dataFolder, "desk", "desk.db"))
  database.exec("UPDATE schema_version SET version = 1")
  database.close()
  const lines = await runChecks(good)
  expect(lines).toContainEqual({
    check: "schema",
    good: true,
    found: expect.stringMatching(/version 1: the next start migrates it to \d+, so make a backup first/) as string,
  })
})

it("the command prints a line for each check, JSON on request, and exits with 0 only if all is good", async () => {
  const variables = await goodVariables()
  const text = await runProgram("../server.ts", variables, ["--check"])
  const isBuilt = !text.stdout.includes("the app isn't built")
  expect([text.code, text.stderr]).toEqual([isBuilt ? 0 : 1, ""])
  expect(text.stdout).toMatch(/^good {2}node .*\n(?:(?:good|BAD ) {2}\S.*\n(?: +→ .*\n)?)+$/)
  const json = await runProgram("../server.ts", { ...variables, WORK_API_URL: nobodyListens }, ["--check", "--json"])
  expect(json.code).toBe(1)
  expect(JSON.parse(json.stdout)).toMatchObject({
    good: false,
    checks: expect.arrayContaining([expect.objectContaining({ check: "service", good: false })]) as object,
  })
  expect((await runProgram("../server.ts", variables, ["--json"])).code).toBe(2)
})
