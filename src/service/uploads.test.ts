import { createHash } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { openLog } from "../platform/log.ts"
import { EICAR } from "./demonstration.ts"
import { textOf } from "./testing/client.ts"
import {
  credentials,
  eventually,
  folderForTest,
  serviceForTest,
  startTestService,
  type TestService,
} from "./testing/test-service.ts"

const TEXT = "id,name\n1,Ålesund \u0000 😀\n"

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})

afterAll(() => service.stop())

const look = async (id: string, on = service) => (await on.get(`/api/v1/uploads/${id}`)).body
const retry = (id: string, on = service) => on.post(`/api/v1/uploads/${id}/processing/retry`, undefined)
const attach = (ids: string[], on = service) =>
  on.post("/api/v1/work", { colleague_id: "analyst", objective: "x", input_upload_ids: ids })

describe("an upload", () => {
  test("is scanned before it is ready", async () => {
    const slow = await serviceForTest({ configuration: { pace: 0.2 } })
    const id = await slow.upload("a.csv", TEXT)
    expect(await look(id, slow)).toMatchObject({ status: "processing", processing_state: "processing" })
    expect((await attach([id], slow)).body).toMatchObject({ code: "INPUT_NOT_READY" })
    await eventually(async () =>
      expect(await look(id, slow)).toMatchObject({ status: "ready", processing_state: "available" }),
    )
    expect((await attach([id], slow)).status).toBe(201)
  })

  test("is ready at once when `pace` becomes 0", async () => {
    const slow = await serviceForTest({ configuration: { pace: 1000 } })
    const id = await slow.upload("a.csv", TEXT)
    await writeFile(slow.configFile, JSON.stringify({ credentials, pace: 0 }))
    await eventually(async () => expect(await look(id, slow)).toMatchObject({ status: "ready" }))
    const work = await slow.work({ input_upload_ids: [id] })
    await slow.first(work, "attention")
  })

  test("whose scan fails is logged, and scanned when it can be", async () => {
    const dataFolder = await folderForTest()
    const lines: string[] = []
    const log = openLog("error", { write: (line) => void lines.push(line) })
    const slow = await serviceForTest({ dataFolder, log, configuration: { pace: 0.1 } })
    const other = new DatabaseSync(join(dataFolder, "service.db"))
    onTestFinished(() => other.close())
    other.exec(
      "CREATE TRIGGER failing BEFORE UPDATE OF detected_type ON upload BEGIN SELECT RAISE(ABORT, 'no scan'); END",
    )
    const id = await slow.upload("a.csv", TEXT)
    await expect.poll(() => lines.join("")).toContain("no scan")
    other.exec("DROP TRIGGER failing")
    await eventually(async () => expect(await look(id, slow)).toMatchObject({ status: "ready" }))
  })

  test("is scanned after a restart of the service", async () => {
    const dataFolder = await folderForTest()
    const first = await startTestService({ dataFolder, configuration: { pace: 0.1 } })
    const id = await first.upload("a.csv", TEXT)
    await first.stop()
    const second = await serviceForTest({ dataFolder })
    await eventually(async () => expect(await look(id, second)).toMatchObject({ status: "ready" }))
  })

  test("has the size and hash of its UTF-8 bytes", async () => {
    const bytes = Buffer.from(TEXT)
    expect(await look(await service.upload("a.csv", TEXT))).toMatchObject({
      size: BigInt(bytes.length),
      content_hash: `sha256:${createHash("sha256").update(bytes).digest("hex")}`,
      detected_type: "text/csv",
    })
  })

  test("with the EICAR string is quarantined for good", async () => {
    const id = await service.upload("a.txt", `before ${EICAR} after`, "text/plain")
    const failed = {
      status: "failed",
      processing_state: "quarantined",
      failure_code: "malware_detected",
      retryable: false,
    }
    expect(await look(id)).toMatchObject(failed)
    expect((await retry(id)).status).toBe(409)
    expect((await attach([id])).body).toMatchObject({ code: "INPUT_SCAN_FAILED", failure_code: "malware_detected" })
  })

  test("with stale signatures passes at the first retry", async () => {
    const id = await service.upload("my stale-signatures file.csv", TEXT)
    const failed = {
      status: "failed",
      processing_state: "scan_failed",
      failure_code: "stale_signatures",
      retryable: true,
    }
    expect(await look(id)).toMatchObject(failed)
    expect((await attach([id])).body).toMatchObject({
      code: "INPUT_SCAN_FAILED",
      failure_code: "stale_signatures",
      retryable: true,
    })
    expect((await retry(id)).status).toBe(202)
    const ready = await look(id)
    expect(ready).toMatchObject({ status: "ready" })
    expect(ready).not.toHaveProperty("failure_code")
    expect((await retry(id)).status).toBe(409)
  })

  test("named slow-scan is scanned for ten seconds more at any pace", async () => {
    const id = await service.upload("slow-scan.csv", TEXT)
    const answer = await attach([id])
    expect(answer.body).toMatchObject({ code: "INPUT_NOT_READY", retryable: true })
    expect(Number(answer.headers["retry-after"])).toBeGreaterThanOrEqual(5)
    expect(Number(answer.headers["retry-after"])).toBeLessThanOrEqual(10)
  })

  test("whose content the policy blocks is 422", async () => {
    const body = { name: "a.txt", media_type: "text/plain", content: "so policy:block it" }
    expect((await service.post("/api/v1/uploads", body)).status).toBe(422)
  })

  test("can be attached to one Work, and is then consumed", async () => {
    const id = await service.upload("a.csv", TEXT)
    const work = await service.work({ input_upload_ids: [id] })
    expect(await look(id)).toMatchObject({ status: "consumed", processing_state: "available", work_id: work })
    expect(await attach([id])).toMatchObject({ status: 409, body: { code: "INPUT_CONSUMED", retryable: false } })
  })

  test("stays ready when its Work is refused", async () => {
    const [first, second] = [await service.upload("a.csv", TEXT), await service.upload("stale-signatures", TEXT)]
    expect((await attach([first, second])).status).toBe(409)
    expect(await look(first)).toMatchObject({ status: "ready" })
  })

  test("that is unknown is 404, also beside uploads that exist", async () => {
    expect((await attach([await service.upload("a.csv", TEXT), "unknown"])).status).toBe(404)
  })

  test("expires when no Work uses it in time, and not after a Work has used it", async () => {
    const hasty = await serviceForTest({ configuration: { uploadLifetimeSeconds: 1.5 } })
    const used = await hasty.upload("a.csv", TEXT)
    await hasty.work({ input_upload_ids: [used] })
    const unused = await hasty.upload("b.csv", TEXT)
    const failed = await hasty.upload("stale-signatures", TEXT)
    await eventually(async () => expect(await look(failed, hasty)).toMatchObject({ status: "expired" }))
    expect(await look(unused, hasty)).toMatchObject({ status: "expired", processing_state: "expired" })
    expect(await look(used, hasty)).toMatchObject({ status: "consumed" })
    expect(await attach([unused], hasty)).toMatchObject({ status: 409, body: { code: "INPUT_EXPIRED" } })
    expect((await retry(failed, hasty)).status).toBe(409)
    expect(textOf(await look(unused, hasty), "expires_at") <= new Date().toISOString()).toBe(true)
  })
})
