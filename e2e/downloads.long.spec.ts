import { test } from "./fixtures.ts"
import { expectLargeDownload } from "./large-download.ts"

test.use({ deskOptions: { upstream: "artifacts" } })

test("300 MB arrive whole, with progress, and can be cancelled", async ({ page, artifactUpstream }) => {
  test.slow()
  await expectLargeDownload(page, artifactUpstream, 300)
})
