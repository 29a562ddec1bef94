import { expect, test } from "vitest"
import { serviceForTest } from "../../testing/test-service.ts"

test("a text that takes too long to review ends the editor and not the desk, and its owner is asked", async () => {
  const service = await serviceForTest({ colleagueLimits: { processorMs: 300, memoryMb: 256 } })
  const upload = await service.upload("hostile.md", "- a\n$".repeat(20_000), "text/markdown")
  const id = await service.work({ colleague_id: "editor", objective: "Review", input_upload_ids: [upload] })
  await expect
    .poll(async () => (await service.get(`/api/v1/work/${id}/attention`)).text, { timeout: 40_000 })
    .toContain("failed three times")
}, 60_000)
