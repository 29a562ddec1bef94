import { execFileSync } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, onTestFinished, test } from "vitest"
import { call, newKey } from "./testing/client.ts"
import {
  ALICE,
  credentials,
  serviceForTest,
  eventually,
  folderForTest,
  startTestService,
} from "./testing/test-service.ts"
import { ServiceProcess } from "./testing/service-process.ts"

// prlimit simulates a full disk for one process: its files may not grow beyond a limit. Only Linux can raise the limit of a running
// process. On other systems only store.test.ts shows that the service recovers from a full disk.
test.runIf(process.platform === "linux")(
  "on a full disk the service answers with a Problem, uses up no key and loses nothing, and recovers when there is room",
  async () => {
    const folder = await folderForTest()
    const config = join(folder, "config.json")
    await writeFile(config, JSON.stringify({ credentials, pace: 0 }))
    const service = ServiceProcess.start({ SERVICE_DATA: join(folder, "data"), SERVICE_CONFIG: config })
    onTestFinished(async () => void (await service.end("SIGKILL")))
    const base = await service.address()
    const work = { colleague_id: "metronome", objective: "rate=20" }
    const created = await call(base, "POST", "/api/v1/work", { token: ALICE, key: newKey(), body: work })
    const upload = (key: string) => {
      const body = { name: "a.txt", media_type: "text/plain", content: "x".repeat(90_000) }
      return call(base, "POST", "/api/v1/uploads", { token: ALICE, key, body })
    }
    const setLimit = (bytes: string) =>
      execFileSync("prlimit", ["--pid", String(service.pid), `--fsize=${bytes}:unlimited`])

    setLimit("400000")
    const stored: string[] = []
    const refused: string[] = []
    while (refused.length < 3) {
      const key = newKey()
      const answer = await upload(key)
      if (answer.status === 201) stored.push(key)
      else {
        expect(answer).toMatchObject({ status: 500, body: { code: "STORAGE_UNAVAILABLE", retryable: true } })
        refused.push(key)
      }
      expect(stored.length).toBeLessThan(50)
    }
    const { location } = created.headers
    expect((await call(base, "GET", String(location), { token: ALICE })).status).toBe(200)

    setLimit("unlimited")
    for (const key of refused) expect((await upload(key)).status).toBe(201)
    for (const key of stored) expect((await upload(key)).headers["idempotent-replayed"]).toBe("true")
    // Colleagues go on, too.
    const again = { colleague_id: "analyst", objective: "x" }
    const other = await call(base, "POST", "/api/v1/work", { token: ALICE, key: newKey(), body: again })
    await eventually(async () => {
      const { body } = await call(base, "GET", String(other.headers.location), { token: ALICE })
      expect(body).toMatchObject({ status: "needs_you" })
    })
  },
)

test.runIf(process.platform !== "win32").each(["new", "used"])(
  "a start with a %s data folder on a full disk ends with one line and a non-zero status",
  async (age) => {
    const dataFolder = join(await folderForTest(), "data")
    if (age === "used") {
      const first = await startTestService({ dataFolder })
      await first.first(await first.work(), "attention")
      await first.stop()
    }
    const full = ["sh", "-c", 'ulimit -f 0; exec "$0" "$@"']
    const service = ServiceProcess.start({ SERVICE_DATA: dataFolder }, full)
    onTestFinished(async () => void (await service.end("SIGKILL")))
    expect(await service.ended()).toBe(1)
    expect(service.stderr).toMatch(/^workdesk: SERVICE_DATA [^\n]+\n$/)
    expect(service.stdout).toBe("")
  },
)

test("while its file is locked the service answers with a Problem and uses up no key, and recovers", async () => {
  const dataFolder = await folderForTest()
  const service = await serviceForTest({ dataFolder })
  const other = new DatabaseSync(join(dataFolder, "service.db"))
  onTestFinished(() => other.close())
  other.exec("BEGIN IMMEDIATE")
  const post = () => service.post("/api/v1/work", { colleague_id: "analyst", objective: "x" }, { key: "locked out" })
  expect(await post()).toMatchObject({ status: 500, body: { code: "STORAGE_UNAVAILABLE", retryable: true } })
  expect((await service.get("/api/v1/work")).status).toBe(200)
  other.exec("ROLLBACK")
  expect((await post()).status).toBe(201)
})
