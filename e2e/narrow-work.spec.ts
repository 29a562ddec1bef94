import { expect, test } from "./fixtures.ts"
import { withDesk } from "./many-works-desk.ts"

test.use({ viewport: { width: 320, height: 640 } })

test("long values that a service may send don't make a page scroll sideways on a narrow phone", async ({ page }) => {
  await withDesk(1, 0, async (desk, { works }) => {
    const [work] = works
    for (const member of ["colleague_id", "visibility_scope", "priority", "status"] as const) {
      const unbroken = member[0]?.repeat(60) ?? ""
      Object.assign(work ?? {}, { [member]: unbroken })
      await page.goto(`${desk.url}/work/${work?.id}`)
      await expect(page.getByRole("main").getByText(unbroken).first()).toBeVisible()
      expect(await page.evaluate(() => document.documentElement.scrollWidth), member).toBe(320)
    }
  })
})
