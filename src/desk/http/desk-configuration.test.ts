import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { ConfigurationError } from "../../platform/configuration-error.ts"
import { readConfiguration } from "./desk-configuration.ts"
import { listen } from "../../platform/http/listen.ts"
import { Metrics, serveMetrics } from "./metrics.ts"
import { CANARY, startTestProxy } from "../testing/desk.ts"

const URL_AND_TOKEN = { WORK_API_URL: "https://api.test", WORK_API_TOKEN: CANARY }

const SIGN_IN = {
  OIDC_ISSUER: "https://id.test",
  OIDC_CLIENT_ID: "desk",
  PUBLIC_URL: "https://public.test",
  ACCESS_FILE: "/etc/workdesk/access.json",
}

function tokenFile(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "workdesk-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, "token"), content)
  return join(folder, "token")
}

describe("the environment", () => {
  it("has a default for everything", () => {
    expect(readConfiguration({})).toEqual({
      host: "127.0.0.1",
      port: 4400,
      allowedHosts: ["localhost", "127.0.0.1", "[::1]", "127.0.0.1"],
      upstream: undefined,
      colleagues: undefined,
      dataFolder: ".data",
      databaseUrl: undefined,
      people: { mode: "local" },
      logLevel: "info",
      limits: { personRequestsPerMinute: undefined, clientRequestsPerMinute: 300, upstreamStreams: 12 },
      notices: [],
      knownDestinationsDays: undefined,
      trustedProxies: { has: expect.any(Function) as unknown },
      drainSeconds: 0,
      metrics: undefined,
      headReceiver: undefined,
      recordKey: {
        origin: "workdesk-local",
        place: { kind: "file", name: "DATA_DIR: record.key", path: join(".data", "record.key") },
      },
    })
  })

  it("with an empty value is as without the variable", () => {
    const names = ["HOST", "PORT", "WORK_API_URL", "WORK_API_TOKEN", "ALLOWED_HOSTS", "COLLEAGUES", "DATA_DIR"]
    expect(readConfiguration(Object.fromEntries(names.map((name) => [name, ""])))).toEqual(readConfiguration({}))
  })

  it.each([
    [{ HOST: "localhost" }, { host: "localhost" }],
    [
      { HOST: "127.8.9.1", ALLOWED_HOSTS: "" },
      { host: "127.8.9.1", allowedHosts: ["localhost", "127.0.0.1", "[::1]", "127.8.9.1"] },
    ],
    [{ HOST: "::1" }, { host: "::1", allowedHosts: ["localhost", "127.0.0.1", "[::1]", "[::1]"] }],
    [{ HOST: "[::1]" }, { host: "::1" }],
    [{ PORT: "0" }, { port: 0 }],
    [{ PORT: "65535" }, { port: 65_535 }],
    [
      { ALLOWED_HOSTS: "Desk.Test:8443, ::1 ,[::1]:1,192.168.0.1," },
      { allowedHosts: ["desk.test", "[::1]", "[::1]", "192.168.0.1"] },
    ],
    [
      { COLLEAGUES: "analyst=The Analyst, ed=Ed = mund ," },
      {
        colleagues: [
          { id: "analyst", label: "The Analyst" },
          { id: "ed", label: "Ed = mund" },
        ],
      },
    ],
    [
      { COLLEAGUES: String.raw`analyst=The Analyst|profiles CSV\, JSON, ed=A \| B|reviews|or so` },
      {
        colleagues: [
          { id: "analyst", label: "The Analyst", does: "profiles CSV, JSON" },
          { id: "ed", label: "A | B", does: "reviews|or so" },
        ],
      },
    ],
    [{ DATA_DIR: "/somewhere" }, { dataFolder: "/somewhere" }],
  ])("%j is accepted", (env, expected) => {
    expect(readConfiguration(env)).toMatchObject(expected)
  })

  it.each([
    ["https://api.test", "https://api.test", "api.test"],
    ["https://api.test/", "https://api.test", "api.test"],
    ["https://api.test:8443/some/base/", "https://api.test:8443/some/base", "api.test"],
    ["http://127.0.0.1:4401", "http://127.0.0.1:4401", "127.0.0.1"],
    ["http://localhost:1/x", "http://localhost:1/x", "localhost"],
    ["http://[::1]:1", "http://[::1]:1", "[::1]"],
  ])("the upstream %s has the base address %s and the name %s", (value, baseUrl, name) => {
    expect(readConfiguration({ ...URL_AND_TOKEN, WORK_API_URL: value }).upstream).toMatchObject({ baseUrl, name })
  })

  it("takes the token from the variable or, trimmed, from the file", () => {
    const authorization = { authorization: `Bearer ${CANARY}` }
    expect(readConfiguration(URL_AND_TOKEN).upstream?.token.authorize({})).toEqual(authorization)
    const env = { WORK_API_URL: "https://api.test", WORK_API_TOKEN_FILE: tokenFile(`\n ${CANARY}\r\n`) }
    const token = readConfiguration(env).upstream?.token
    expect(token?.authorize({})).toEqual(authorization)
  })

  it.each([
    ["HOST", { HOST: "0.0.0.0" }],
    ["HOST", { HOST: "::" }],
    ["HOST", { HOST: "192.168.0.1" }],
    ["HOST", { HOST: "desk.test" }],
    ["HOST", { HOST: "127.0.0.1.evil.test" }],
    ["HOST", { HOST: "127.1" }],
    ["PORT", { PORT: "80a" }],
    ["PORT", { PORT: "-1" }],
    ["PORT", { PORT: "65536" }],
    ["PORT", { PORT: " " }],
    ["PORT", { PORT: "1e3" }],
    ["ALLOWED_HOSTS", { ALLOWED_HOSTS: "*" }],
    ["ALLOWED_HOSTS", { ALLOWED_HOSTS: "http://desk.test" }],
    ["ALLOWED_HOSTS", { ALLOWED_HOSTS: "desk.test/x" }],
    ["ALLOWED_HOSTS", { ALLOWED_HOSTS: " , " }],
    ["COLLEAGUES", { COLLEAGUES: "analyst" }],
    ["COLLEAGUES", { COLLEAGUES: "=Label" }],
    ["COLLEAGUES", { COLLEAGUES: "a=" }],
    ["COLLEAGUES", { COLLEAGUES: "," }],
    ["COLLEAGUES", { COLLEAGUES: "a=A|" }],
    ["COLLEAGUES", { COLLEAGUES: "a|b=A" }],
    ["COLLEAGUES", { COLLEAGUES: "a=A,a=B" }],
    ["WORK_API_URL", { ...URL_AND_TOKEN, WORK_API_URL: "api.test" }],
    ["WORK_API_URL", { ...URL_AND_TOKEN, WORK_API_URL: "ftp://api.test" }],
    ["WORK_API_URL", { ...URL_AND_TOKEN, WORK_API_URL: "http://api.test" }],
    ["WORK_API_URL", { ...URL_AND_TOKEN, WORK_API_URL: "http://127.0.0.1.evil.test" }],
    ["WORK_API_URL", { ...URL_AND_TOKEN, WORK_API_URL: `https://user:${CANARY}@api.test` }],
    ["WORK_API_URL", { ...URL_AND_TOKEN, WORK_API_URL: `https://${CANARY}@api.test` }],
    ["WORK_API_URL", { ...URL_AND_TOKEN, WORK_API_URL: `https://api.test?token=${CANARY}` }],
    ["WORK_API_URL", { ...URL_AND_TOKEN, WORK_API_URL: "https://api.test?" }],
    ["WORK_API_URL", { ...URL_AND_TOKEN, WORK_API_URL: "https://api.test#x" }],
    ["WORK_API_URL", { ...URL_AND_TOKEN, WORK_API_URL: "https:/api.test/x" }],
    ["WORK_API_URL", { ...URL_AND_TOKEN, WORK_API_URL: "https:\\\\api.test" }],
    ["WORK_API_TOKEN", { WORK_API_TOKEN: CANARY }],
    ["WORK_API_TOKEN_FILE", { WORK_API_TOKEN_FILE: "/x" }],
    ["ALLOWED_HOSTS", { ...SIGN_IN, ALLOWED_HOSTS: "desk.test,127.0.0.1" }],
    ["WORK_API_TOKEN", { WORK_API_URL: "https://api.test" }],
    ["WORK_API_TOKEN", { ...URL_AND_TOKEN, WORK_API_TOKEN_FILE: "/x" }],
    ["WORK_API_TOKEN", { WORK_API_URL: "https://api.test", WORK_API_TOKEN: "  " }],
    ["WORK_API_TOKEN", { WORK_API_URL: "https://api.test", WORK_API_TOKEN: `${CANARY}\nX-Evil: 1` }],
    ["WORK_API_TOKEN", { WORK_API_URL: "https://api.test", WORK_API_TOKEN: `${CANARY} two` }],
    ["WORK_API_TOKEN", { WORK_API_URL: "https://api.test", WORK_API_TOKEN: `${CANARY}é` }],
    ["WORK_API_TOKEN_FILE", { WORK_API_URL: "https://api.test", WORK_API_TOKEN_FILE: "/there/is/no/such/file" }],
    ["WORK_API_TOKEN_FILE", { WORK_API_URL: "https://api.test", WORK_API_TOKEN_FILE: tmpdir() }],
  ])("a wrong %s is one plain line that names it and no secret: %j", (name, env) => {
    const read = () => readConfiguration(env)
    expect(read).toThrow(ConfigurationError)
    expect(read).toThrow(new RegExp(`^${name}\\b[^\\n]*$`))
    expect(read).not.toThrow(/canary/)
  })

  it("takes a token from a file with a byte order mark", () => {
    const env = { WORK_API_URL: "https://api.test", WORK_API_TOKEN_FILE: tokenFile(`\u{feff}${CANARY}`) }
    expect(readConfiguration(env).upstream?.token.authorize({})).toEqual({ authorization: `Bearer ${CANARY}` })
  })

  it("may name other hosts beside the host of PUBLIC_URL", () => {
    const env = { ...SIGN_IN, ALLOWED_HOSTS: "inside.test,public.test" }
    expect(readConfiguration(env).allowedHosts).toEqual(["inside.test", "public.test"])
  })

  it.each(["", " \n", `${CANARY}\n${CANARY}`])("a token file that says %j is refused", (content) => {
    const env = { WORK_API_URL: "https://api.test", WORK_API_TOKEN_FILE: tokenFile(content) }
    expect(() => readConfiguration(env)).toThrow(/^WORK_API_TOKEN_FILE (?!.*canary)[^\n]*$/)
  })
})

describe("a port that another program uses", () => {
  const takenPort = async () => {
    const other = createServer()
    const port = await listen(other, { host: "127.0.0.1", port: 0 })
    onTestFinished(() => void other.close())
    return port
  }

  it("is a wrong PORT, whose value the line does not show", async () => {
    const port = await takenPort()
    const starting = startTestProxy("http://127.0.0.1:1", { configuration: { port } })
    await expect(starting).rejects.toThrow(new ConfigurationError("PORT is in use by another program"))
  })

  it("is a wrong METRICS_PORT, whose value the line does not show", async () => {
    const serving = serveMetrics(new Metrics(), { host: "127.0.0.1", port: await takenPort() })
    await expect(serving).rejects.toThrow(new ConfigurationError("METRICS_PORT is in use by another program"))
  })
})
