import { chmod, mkdir, stat, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { ConfigurationError } from "../platform/configuration-error.ts"
import { openLog } from "../platform/log.ts"
import type { RunningService } from "../service/embedded-service.ts"
import { call, open } from "../service/testing/client.ts"
import { eventually, folderForTest } from "../service/testing/test-service.ts"
import { ServiceProcess } from "../service/testing/service-process.ts"
import { startWith } from "./service.ts"

function start(variables: Readonly<Record<string, string>>): ServiceProcess {
  const process = ServiceProcess.start(variables)
  onTestFinished(async () => void (await process.end("SIGKILL")))
  return process
}

/** Starts the service in this process, and returns the line in which the command would say what is wrong. */
async function refusalOf(variables: Readonly<Record<string, string>>, write: (line: string) => void): Promise<string> {
  const started: unknown = await startWith({ SERVICE_PORT: "0", ...variables }, openLog("info", { write })).catch(
    (error: unknown) => error,
  )
  return started instanceof ConfigurationError ? started.message : "no variable is wrong"
}

/** Starts the service in this process, as the command does in its own. */
async function startHere(variables: Readonly<Record<string, string>>): Promise<RunningService> {
  const service = await startWith({ SERVICE_PORT: "0", ...variables }, openLog("error"))
  onTestFinished(() => service.stop())
  return service
}

describe("npm run service", () => {
  test("prints its address and, at the first start only, its token", async () => {
    const folder = await folderForTest()
    const first = start({ SERVICE_DATA: folder })
    const url = await first.address()
    const token = await eventually(async () => {
      const found = /wd_\S+/.exec(first.stdout)?.[0]
      expect(found).toBeDefined()
      return found ?? ""
    })
    expect((await call(url, "GET", "/api/v1/work", { token })).status).toBe(200)
    expect(await first.end("SIGTERM")).toBe(0)
    const second = start({ SERVICE_DATA: folder })
    expect((await call(await second.address(), "GET", "/api/v1/work", { token })).status).toBe(200)
    expect(second.stdout + second.stderr).not.toContain(token)
  })

  test("ends its streams on SIGTERM, finishes requests, and exits with 0", async () => {
    const folder = await folderForTest()
    const config = join(folder, "config.json")
    const credential = { token: "t", account: "a", owner: "o", scopes: ["work:read", "work:create"] }
    await writeFile(config, JSON.stringify({ credentials: [credential] }))
    const service = start({ SERVICE_DATA: join(folder, "data"), SERVICE_CONFIG: config })
    const url = await service.address()
    const body = { colleague_id: "metronome", objective: "rate=5" }
    const { headers } = await call(url, "POST", "/api/v1/work", { token: "t", key: "k", body })
    const stream = await open(url, "GET", `${String(headers.location)}/events`, { token: "t" })
    const ended = new Promise((resolve) => stream.on("end", () => resolve("ended")))
    stream.resume()
    expect(await service.end("SIGTERM")).toBe(0)
    expect(await ended).toBe("ended")
  })

  test("listens beyond loopback only with SERVICE_PUBLIC=1", async () => {
    const environment = { SERVICE_DATA: await folderForTest(), SERVICE_HOST: "0.0.0.0", SERVICE_PUBLIC: "1" }
    expect((await startHere(environment)).url).toContain("0.0.0.0")
  })

  test.skipIf(process.platform === "win32")(
    "makes a data folder private, also if other users could read it",
    async () => {
      const folder = await folderForTest()
      await mkdir(join(folder, "outbox"))
      await chmod(folder, 0o755)
      await chmod(join(folder, "outbox"), 0o755)
      await startHere({ SERVICE_DATA: folder })
      for (const path of [folder, join(folder, "outbox")]) expect((await stat(path)).mode & 0o777).toBe(0o700)
    },
  )

  test("behind a proxy counts each client's requests without a credential for itself, and otherwise believes no header", async () => {
    const folder = await folderForTest()
    const config = join(folder, "config.json")
    await writeFile(config, JSON.stringify({ limits: { unauthenticatedPerMinute: 1 } }))
    const statuses = async (variables: Readonly<Record<string, string>>) => {
      const { url } = await startHere({ SERVICE_CONFIG: config, ...variables })
      const clients = ["10.0.0.1", "10.0.0.1", "9.9.9.9, 10.0.0.2", "9.9.9.9, 10.0.0.2"]
      const answers: number[] = []
      for (const client of clients)
        answers.push((await call(url, "GET", "/api/v1/work", { headers: { "x-forwarded-for": client } })).status)
      return answers
    }
    const behind = await statuses({ SERVICE_DATA: join(folder, "behind"), SERVICE_PUBLIC: "1" })
    expect(behind).toEqual([401, 429, 401, 429])
    expect(await statuses({ SERVICE_DATA: join(folder, "alone") })).toEqual([401, 429, 429, 429])
  })

  test("refuses a data folder whose token cannot be read, and makes no other token", async () => {
    const folder = await folderForTest()
    await mkdir(join(folder, "token"))
    expect(await refusalOf({ SERVICE_DATA: folder }, () => undefined)).toMatch(/^SERVICE_DATA [^\n]*EISDIR/)
    expect((await stat(join(folder, "token"))).isDirectory()).toBe(true)
  })

  test("ends with one line on the error output and status 1", async () => {
    const service = start({ SERVICE_DATA: await folderForTest(), SERVICE_HOST: "0.0.0.0" })
    expect(await service.ended()).toBe(1)
    expect(service.stderr).toMatch(/^workdesk: SERVICE_HOST [^\n]+\n$/)
    expect(service.stdout).toBe("")
  })

  test("says in one line which variable is wrong", async () => {
    const folder = await folderForTest()
    const taken = createServer().listen(0, "127.0.0.1")
    onTestFinished(() => void taken.close())
    await new Promise((resolve) => taken.once("listening", resolve))
    const address = taken.address()
    const port = typeof address === "object" ? address?.port : undefined
    const wrong = join(folder, "wrong.json")
    await writeFile(wrong, '{"pace": "fast"}')
    const misspelt = join(folder, "misspelt.json")
    await writeFile(misspelt, '{"credential": []}')
    const file = join(folder, "file")
    await writeFile(file, "")
    await startHere({ SERVICE_DATA: join(folder, "used") })
    const cases: [string, Record<string, string>][] = [
      ["SERVICE_PORT", { SERVICE_PORT: "http" }],
      ["SERVICE_PORT", { SERVICE_PORT: "65536" }],
      ["SERVICE_PORT", { SERVICE_PORT: String(port) }],
      ["SERVICE_HOST", { SERVICE_HOST: "256.256.256.256" }],
      ["SERVICE_HOST", { SERVICE_HOST: "0.0.0.0" }],
      ["SERVICE_HOST", { SERVICE_HOST: "::" }],
      ["SERVICE_PUBLIC", { SERVICE_PUBLIC: "yes" }],
      ["SERVICE_CONFIG", { SERVICE_CONFIG: join(folder, "none.json") }],
      ["SERVICE_CONFIG", { SERVICE_CONFIG: wrong }],
      ["SERVICE_CONFIG", { SERVICE_CONFIG: misspelt }],
      ["SERVICE_DATA", { SERVICE_DATA: join(file, "data") }],
      ["SERVICE_DATA", { SERVICE_DATA: join(folder, "used") }],
    ]
    for (const [index, [name, variables]] of cases.entries()) {
      const lines: string[] = []
      const data = { SERVICE_DATA: join(folder, `data-${index}`), ...variables }
      const reason = await refusalOf(data, (line) => void lines.push(line))
      expect(reason, name).toMatch(new RegExp(`^${name}:? [^\\n]+$`))
      expect(lines, name).toEqual([])
    }
  })
})
