import { expect, test } from "./fixtures.ts"

test.use({ deskOptions: { upstream: "artifacts" } })

test("a token in a download is noticed by the canary of every test", async ({
  page,
  desk,
  artifactUpstream,
  complaints,
}) => {
  artifactUpstream.results = [{ path: "leak.txt", content: `a line\n${desk.token}\n` }]
  await page.goto("/work/work_1")
  await page.getByRole("button", { name: "Download leak.txt" }).click()
  await expect.poll(() => complaints).toEqual([expect.stringContaining("the token reached the page")])
  complaints.length = 0
})
