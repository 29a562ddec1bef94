/** `--check` changes and sends nothing: the service refuses each mutation, no channel gets a notice, and the data stay as they are. */
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import { once } from "node:events"
import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { MailServerForTest } from "../../desk/notices/testing/mail-server.ts"
import { freePort } from "../../desk/store/testing/free-port.ts"
import { folderForTest } from "../../desk/store/testing/stores.ts"
import { openDatabase } from "../../desk/store/open-store.ts"
import { ALICE, serviceForTest } from "../../service/testing/test-service.ts"
import { startDesk } from "../../server.ts"
import { goodVariables, type Variables } from "../testing/good-desk.ts"
import { runProgram } from "../testing/run-command.ts"

/** A server that keeps the first line of each request. */
async function startListener(): Promise<{ readonly url: string; readonly requests: readonly string[] }> {
  const requests: string[] = []
  const server = createServer(({ method, url }, response) => {
    requests.push(`${method} ${url}`)
    response.end()
  })
  const port = await freePort()
  await once(server.listen(port, "127.0.0.1"), "listening")
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${port}`, requests }
}

/** The content of each file below a folder, as a hash. */
function hashesIn(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files
    .map(({ name, parentPath }) => join(parentPath, name))
    .map((path) => `${path} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`)
    .toSorted()
}

it("changes no data, sends no notice, and creates no Work", async () => {
  const [webhook, chat, mail] = [await startListener(), await startListener(), await MailServerForTest.start()]
  const service = await serviceForTest()
  const variables: Variables = {
    ...(await goodVariables()),
    WORK_API_URL: service.url,
    WORK_API_TOKEN: ALICE,
    SMTP_URL: mail.url,
    NOTICE_FROM: "desk@example.com",
    NOTICE_WEBHOOK_URL: `${webhook.url}/hook`,
    NOTICE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24).toString("base64")}`,
    NOTICE_CHAT_URL: `format=slack#${chat.url}/chat`,
  }
  const dataFolder = variables["DATA_DIR"] ?? ""
  await (await openDatabase({ dataFolder, databaseUrl: undefined })).close()
  const before = hashesIn(dataFolder)
  expect(before).not.toEqual([])

  const { stdout, stderr } = await runProgram("../server.ts", variables, ["--check", "--json"])
  expect(stderr).toBe("")
  const { checks } = JSON.parse(stdout) as {
    readonly checks: readonly { readonly check: string; readonly good: boolean }[]
  }
  for (const check of ["service scopes", "mail", "webhook", "chat", "database"])
    expect(checks).toContainEqual(expect.objectContaining({ check, good: true }))

  expect(mail.connections).toBe(1)
  expect([mail.received, webhook.requests, chat.requests]).toEqual([[], [], []])
  expect((await service.get("/api/v1/work")).body).toEqual({ data: [] })
  expect(hashesIn(dataFolder)).toEqual(before)
})

it("changes no data of the embedded service", async () => {
  const [dataFolder, port] = [await folderForTest(), await freePort()]
  const variables = { DATA_DIR: dataFolder, PORT: String(port) }
  const desk = await startDesk(variables, { log: () => undefined })
  await desk.stop()
  const before = hashesIn(dataFolder)
  expect(before.filter((line) => line.includes("service.db"))).toHaveLength(1)
  const { stdout } = await runProgram("../server.ts", variables, ["--check"])
  expect(stdout).toMatch(/^good {2}service .*embedded/m)
  expect(hashesIn(dataFolder)).toEqual(before)
})
