import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { ConfigurationError } from "../../platform/configuration-error.ts"
import { RereadFiles } from "../../platform/reread-files.ts"
import { readPeopleConfiguration } from "./sign-in-configuration.ts"
import { peopleForTest } from "./testing/browser.ts"

const SIGN_IN = {
  OIDC_ISSUER: "https://id.example/realm",
  OIDC_CLIENT_ID: "workdesk",
  PUBLIC_URL: "https://desk.example",
  ACCESS_FILE: "/etc/canary/access.json",
}

describe("the environment of sign-in", () => {
  it("is not there in local mode", () => {
    expect(readPeopleConfiguration({ HOST: "127.0.0.1", SESSION_IDLE: "1h" })).toEqual({ mode: "local" })
  })

  it("has a default for every optional variable", () => {
    expect(readPeopleConfiguration(SIGN_IN)).toEqual({
      mode: "sign-in",
      issuer: "https://id.example/realm",
      clientId: "workdesk",
      clientSecret: undefined,
      secretIn: undefined,
      scopes: "openid profile email",
      groupsClaim: "groups",
      publicUrl: new URL("https://desk.example/"),
      accessFile: "/etc/canary/access.json",
      idleMs: 7_200_000,
      maxMs: 43_200_000,
    })
  })

  it.each([
    [{ OIDC_ISSUER: "http://127.0.0.1:9000" }, { issuer: "http://127.0.0.1:9000" }],
    [{ OIDC_ISSUER: "https://id.example/" }, { issuer: "https://id.example/" }],
    [{ OIDC_CLIENT_SECRET_IN: "body" }, { secretIn: "body" }],
    [{ OIDC_SCOPES: "email openid" }, { scopes: "email openid" }],
    [{ OIDC_GROUPS_CLAIM: "roles" }, { groupsClaim: "roles" }],
    [{ PUBLIC_URL: "https://Desk.example:8443/" }, { publicUrl: new URL("https://desk.example:8443") }],
    [{ PUBLIC_URL: "http://localhost:4400" }, { publicUrl: new URL("http://localhost:4400") }],
    [{ PUBLIC_URL: "http://[::1]:4400" }, { publicUrl: new URL("http://[::1]:4400") }],
    [
      { SESSION_IDLE: "90s", SESSION_MAX: "24h" },
      { idleMs: 90_000, maxMs: 86_400_000 },
    ],
    [{ SESSION_MAX: "5m" }, { idleMs: 7_200_000, maxMs: 300_000 }],
  ])("%j is accepted", (env, expected) => {
    expect(readPeopleConfiguration({ ...SIGN_IN, ...env })).toMatchObject(expected)
  })

  const without = (name: keyof typeof SIGN_IN) => ({ ...SIGN_IN, [name]: undefined })
  it.each<[string, Record<string, string | undefined>]>([
    // A variable of sign-in without OIDC_ISSUER.
    ["OIDC_ISSUER", { ...SIGN_IN, OIDC_ISSUER: "" }],
    ["OIDC_ISSUER", { OIDC_ISSUER: "" }],
    ["OIDC_CLIENT_ID", without("OIDC_ISSUER")],
    ["OIDC_SCOPES", { OIDC_SCOPES: "" }],
    ["OIDC_CLIENT_SECRET_IN", { ...SIGN_IN, OIDC_CLIENT_SECRET_IN: "" }],
    ["OIDC_CLIENT_SECRET_IN", { ...SIGN_IN, OIDC_CLIENT_SECRET_IN: "canary" }],
    ["OIDC_ISSUR", { OIDC_ISSUR: "https://canary.example" }],
    ["PUBLIC_URL", { PUBLIC_URL: "https://canary.example" }],
    ["PUBLIC_URL", { PUBLIC_URL: "" }],
    ["ACCESS_FILE", { ACCESS_FILE: "/canary" }],
    // Missing.
    ["OIDC_CLIENT_ID", without("OIDC_CLIENT_ID")],
    ["PUBLIC_URL", without("PUBLIC_URL")],
    ["ACCESS_FILE", without("ACCESS_FILE")],
    // Empty.
    ["OIDC_CLIENT_ID", { ...SIGN_IN, OIDC_CLIENT_ID: "" }],
    ["OIDC_CLIENT_SECRET", { ...SIGN_IN, OIDC_CLIENT_SECRET: "" }],
    ["OIDC_CLIENT_SECRET", { ...SIGN_IN, OIDC_CLIENT_SECRET: "  " }],
    ["OIDC_CLIENT_SECRET_FILE", { ...SIGN_IN, OIDC_CLIENT_SECRET_FILE: "" }],
    ["OIDC_SCOPES", { ...SIGN_IN, OIDC_SCOPES: "" }],
    ["OIDC_GROUPS_CLAIM", { ...SIGN_IN, OIDC_GROUPS_CLAIM: "" }],
    ["PUBLIC_URL", { ...SIGN_IN, PUBLIC_URL: "" }],
    ["ACCESS_FILE", { ...SIGN_IN, ACCESS_FILE: " " }],
    ["SESSION_IDLE", { ...SIGN_IN, SESSION_IDLE: "" }],
    ["SESSION_MAX", { SESSION_MAX: "" }],
    // Wrong.
    ["OIDC_ISSUER", { ...SIGN_IN, OIDC_ISSUER: "canary.example" }],
    ["OIDC_ISSUER", { ...SIGN_IN, OIDC_ISSUER: "http://canary.example" }],
    ["OIDC_ISSUER", { ...SIGN_IN, OIDC_ISSUER: "http://127.0.0.1.canary.example" }],
    ["OIDC_ISSUER", { ...SIGN_IN, OIDC_ISSUER: "ftp://canary.example" }],
    ["OIDC_ISSUER", { ...SIGN_IN, OIDC_ISSUER: "https://canary@id.example" }],
    ["OIDC_ISSUER", { ...SIGN_IN, OIDC_ISSUER: "https://id.example?canary" }],
    ["OIDC_ISSUER", { ...SIGN_IN, OIDC_ISSUER: "https://id.example#canary" }],
    ["OIDC_SCOPES", { ...SIGN_IN, OIDC_SCOPES: "canary" }],
    ["OIDC_SCOPES", { ...SIGN_IN, OIDC_SCOPES: 'openid "canary"' }],
    ["PUBLIC_URL", { ...SIGN_IN, PUBLIC_URL: "desk.canary" }],
    ["PUBLIC_URL", { ...SIGN_IN, PUBLIC_URL: "http://desk.canary" }],
    ["PUBLIC_URL", { ...SIGN_IN, PUBLIC_URL: "https://desk.example/canary" }],
    ["PUBLIC_URL", { ...SIGN_IN, PUBLIC_URL: "https://desk.example//" }],
    ["PUBLIC_URL", { ...SIGN_IN, PUBLIC_URL: "https://canary@desk.example" }],
    ["PUBLIC_URL", { ...SIGN_IN, PUBLIC_URL: "https://desk.example?" }],
    ["PUBLIC_URL", { ...SIGN_IN, PUBLIC_URL: "https://desk.example/#" }],
    ["PUBLIC_URL", { ...SIGN_IN, PUBLIC_URL: "https:desk.canary" }],
    ["PUBLIC_URL", { ...SIGN_IN, PUBLIC_URL: "https:\\\\desk.canary" }],
    ["SESSION_IDLE", { ...SIGN_IN, SESSION_IDLE: "0s" }],
    ["SESSION_IDLE", { SESSION_IDLE: "0h" }],
    ["SESSION_IDLE", { ...SIGN_IN, SESSION_IDLE: "2" }],
    ["SESSION_IDLE", { ...SIGN_IN, SESSION_IDLE: "1.5h" }],
    ["SESSION_IDLE", { ...SIGN_IN, SESSION_IDLE: "-1h" }],
    ["SESSION_MAX", { ...SIGN_IN, SESSION_MAX: "1d" }],
    ["SESSION_MAX", { ...SIGN_IN, SESSION_MAX: "1H" }],
    ["SESSION_MAX", { ...SIGN_IN, SESSION_MAX: "99999999999999999999h" }],
    // Contradictory.
    ["OIDC_CLIENT_SECRET", { ...SIGN_IN, OIDC_CLIENT_SECRET: "canary", OIDC_CLIENT_SECRET_FILE: "/canary" }],
  ])("a wrong %s is one plain line that names it and no value: %j", (name, env) => {
    const read = () => readPeopleConfiguration(env, new RereadFiles())
    expect(read).toThrow(ConfigurationError)
    expect(read).toThrow(new RegExp(`^${name}\\b[^\\n]*$`))
    expect(read).not.toThrow(/canary/)
  })
})

describe("a file that the environment names", () => {
  function fileWith(content: string): string {
    const folder = mkdtempSync(join(tmpdir(), "workdesk-canary-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, "file"), content)
    return join(folder, "file")
  }
  const provider = { issuer: "http://127.0.0.1:1" }

  it.each([
    ["that is gone", () => "/there/is/no/canary"],
    ["that is a folder", () => tmpdir()],
    ["that is no JSON", () => fileWith("canary")],
    ["that has an unknown key", () => fileWith('{"roles":{},"canary":1}')],
    ["that has a wrong member", () => fileWith('{"roles":{"reader":["canary"]}}')],
  ])("ACCESS_FILE %s ends the start with one line", async (_, make) => {
    const starting = peopleForTest(provider, { accessFile: make() })
    await expect(starting).rejects.toThrow(ConfigurationError)
    await expect(starting).rejects.toThrow(/^ACCESS_FILE (?!.*canary)[^\n]*$/)
  })

  const withSecret = (secret: Record<string, string>) => {
    const read = readPeopleConfiguration({ ...SIGN_IN, ...secret }, new RereadFiles())
    return read.mode === "sign-in" ? read.clientSecret?.() : undefined
  }

  it("OIDC_CLIENT_SECRET and the trimmed content of OIDC_CLIENT_SECRET_FILE are the secret", () => {
    expect(withSecret({ OIDC_CLIENT_SECRET: "s" })).toBe("s")
    expect(withSecret({ OIDC_CLIENT_SECRET_FILE: fileWith(" s\n") })).toBe("s")
    expect(withSecret({})).toBeUndefined()
  })

  it.each([
    ["that is gone", () => "/there/is/no/canary"],
    ["that is empty", () => fileWith(" \n")],
  ])("OIDC_CLIENT_SECRET_FILE %s ends the start with one line", (_, make) => {
    const read = () => withSecret({ OIDC_CLIENT_SECRET_FILE: make() })
    expect(read).toThrow(ConfigurationError)
    expect(read).toThrow(/^OIDC_CLIENT_SECRET_FILE (?!.*canary)[^\n]*$/)
  })
})
