import { join } from "node:path"
import { writeFile } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, onTestFinished, test } from "vitest"
import { call, newKey, textOf } from "./testing/client.ts"
import { ALICE, credentials, folderForTest } from "./testing/test-service.ts"
import { ServiceProcess } from "./testing/service-process.ts"

const LIMIT_SECONDS = 3

test.skipIf(process.platform === "win32")(
  "a process that sleeps longer than a Work's time limit does not use it up",
  async () => {
    const folder = await folderForTest()
    const config = join(folder, "config.json")
    await writeFile(config, JSON.stringify({ credentials }))
    const service = ServiceProcess.start({ SERVICE_DATA: join(folder, "data"), SERVICE_CONFIG: config })
    onTestFinished(async () => void (await service.end("SIGKILL")))
    const base = await service.address()
    const body = { colleague_id: "metronome", objective: "rate=1", active_execution_limit_seconds: LIMIT_SECONDS }
    const created = await call(base, "POST", "/api/v1/work", { token: ALICE, key: newKey(), body })
    const status = async () =>
      textOf((await call(base, "GET", String(created.headers.location), { token: ALICE })).body, "status")

    process.kill(service.pid, "SIGSTOP")
    // The time that passes is what is tested here. execution-clock.test.ts tests the clock without waiting.
    await sleep((LIMIT_SECONDS + 1) * 1000)
    process.kill(service.pid, "SIGCONT")
    expect(await status()).toBe("working")
    await expect.poll(status).toBe("paused")
  },
)
