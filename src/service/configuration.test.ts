import { rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { ConfigurationError } from "../platform/configuration-error.ts"
import { FileFault } from "../platform/reread-files.ts"
import { parseConfiguration } from "./configuration.ts"
import { startService } from "./embedded-service.ts"
import { call, textOf } from "./testing/client.ts"
import {
  ALICE,
  COLLEAGUES,
  credentials,
  eventually,
  folderForTest,
  serviceForTest,
  type TestService,
} from "./testing/test-service.ts"

describe("a configuration", () => {
  test("has a default for each key", () => {
    expect(parseConfiguration("{}")).toEqual({
      credentials: undefined,
      heartbeatSeconds: 15,
      pace: 1,
      uploadLifetimeSeconds: 86_400,
      demonstration: true,
      limits: {
        readPerMinute: 600,
        writePerMinute: 120,
        unauthenticatedPerMinute: 60,
        streamsPerCredential: 16,
        activeWork: 200,
      },
    })
  })

  test("has a default for each member of a credential but its token", () => {
    const { credentials } = parseConfiguration('{"credentials":[{"token":"t"}]}')
    expect(credentials).toEqual([{ token: "t", account: "sa_demo", owner: "owner_demo", scopes: ["work:read"] }])
  })

  test.each([
    ["", "JSON"],
    ["[]", "object"],
    ['{"credential":[]}', "credential is not a known key"],
    ['{"limits":{"readPerMin":1}}', "limits.readPerMin is not a known key"],
    ['{"limits":[]}', "limits must be an object"],
    ['{"credentials":[{"token":"t","scope":[]}]}', "credentials[0].scope is not a known key"],
    ['{"credentials":[{"token":"t"},{"token":"t"}]}', "credentials"],
    ['{"pace":10001}', "pace"],
    ['{"heartbeatSeconds":86401}', "heartbeatSeconds"],
    ['{"uploadLifetimeSeconds":1e15}', "uploadLifetimeSeconds"],
    ['{"limits":{"readPerMinute":9e15}}', "limits.readPerMinute"],
    ['{"limits":{"writePerMinute":1e300}}', "limits.writePerMinute"],
    ['{"limits":{"unauthenticatedPerMinute":-1}}', "limits.unauthenticatedPerMinute"],
    ['{"limits":{"streamsPerCredential":1e10}}', "limits.streamsPerCredential"],
    ['{"limits":{"activeWork":1e10}}', "limits.activeWork"],
    ['{"demonstration":1}', "demonstration"],
    ['{"pace":"1"}', "pace"],
    ['{"pace":-1}', "pace"],
    ['{"heartbeatSeconds":0}', "heartbeatSeconds"],
    ['{"limits":{"activeWork":1.5}}', "limits.activeWork"],
    ['{"credentials":{}}', "credentials"],
    ['{"credentials":[{"account":"a","owner":"o","scopes":[]}]}', "credentials[0].token"],
    ['{"credentials":[{"token":"a b","account":"a","owner":"o","scopes":[]}]}', "credentials[0].token"],
    ['{"credentials":[{"token":"t","account":"a","owner":"o","scopes":["work:write"]}]}', "credentials[0].scopes"],
  ])("%s is refused with the name of the wrong key", (text, name) => {
    expect(() => parseConfiguration(text)).toThrow(FileFault)
    expect(() => parseConfiguration(text)).toThrow(name)
  })
})

describe("the configuration of a running service", () => {
  const knows = (service: TestService, token: string, status: number) =>
    eventually(async () => expect((await service.get("/api/v1/work", { token })).status).toBe(status))
  const withToken = (token: string) => JSON.stringify({ credentials: [{ ...credentials[0], token }] })

  test("changes when the file is overwritten or replaced, and a removed credential is revoked", async () => {
    const service = await serviceForTest()
    await writeFile(service.configFile, withToken("second"))
    await knows(service, "second", 200)
    expect((await service.get("/api/v1/work", { token: ALICE })).status).toBe(401)
    await writeFile(`${service.configFile}.new`, withToken("third"))
    await rename(`${service.configFile}.new`, service.configFile)
    await knows(service, "third", 200)
    expect((await service.get("/api/v1/work", { token: "second" })).status).toBe(401)
  })

  test("stays the last good configuration while the file is wrong or missing, and changes when the file is good again", async () => {
    const service = await serviceForTest()
    await writeFile(service.configFile, '{"credentials": [')
    await rm(service.configFile)
    expect((await service.get("/api/v1/work")).status).toBe(200)
    await writeFile(service.configFile, withToken("healed"))
    await knows(service, "healed", 200)
  })

  test("must exist at the start", async () => {
    const folder = await folderForTest()
    const configFile = join(folder, "none.json")
    const options = { host: "127.0.0.1", port: 0, dataFolder: ":memory:", configFile, registry: COLLEAGUES }
    await expect(startService(options)).rejects.toThrow(ConfigurationError)
  })

  test("without credentials: the service makes one, stores its token with the data and shows it once", async () => {
    const dataFolder = await folderForTest()
    const options = { host: "127.0.0.1", port: 0, dataFolder, registry: COLLEAGUES }
    const first = await startService(options)
    const token = first.generatedToken ?? ""
    await first.stop()
    const second = await startService(options)
    expect(second.generatedToken).toBeUndefined()
    const work = { colleague_id: "analyst", objective: "x" }
    const answer = await call(second.url, "POST", "/api/v1/work", { token, key: "k", body: work })
    expect(answer.body).toMatchObject({ created_by: "sa_demo", human_owner_id: "owner_demo" })
    await second.stop()
  })

  test("decides which colleagues a credential may use", async () => {
    const service = await serviceForTest()
    const delegate = (colleague_id: string) => service.post("/api/v1/work", { colleague_id, objective: "x" })
    expect((await delegate("editor")).status).toBe(201)
    await writeFile(
      service.configFile,
      JSON.stringify({ credentials: [{ ...credentials[0], colleagues: ["analyst"] }] }),
    )
    await eventually(async () => expect((await delegate("editor")).status).toBe(404))
    const [reached, unknown] = [await delegate("editor"), await delegate("nobody")]
    expect(textOf(reached.body, "detail")).toBe(textOf(unknown.body, "detail"))
    expect(textOf(reached.body, "code")).toBe(textOf(unknown.body, "code"))
    expect((await delegate("analyst")).status).toBe(201)
  })
})
