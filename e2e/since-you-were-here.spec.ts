import type { Page } from "@playwright/test"
import { expect, expectAccessible, test } from "./fixtures.ts"
import { filterBy } from "./filter-verbs.ts"
import { rows } from "./glance-verbs.ts"
import { changeAccess, everybodyMay, navigation, openAs, signInAs } from "./people-verbs.ts"
import { createAsPerson } from "./record-verbs.ts"

test.use({ deskOptions: { people: true } })

const region = (page: Page) => page.getByRole("region", { name: "Since you were here" })
const workLink = (page: Page) => navigation(page).getByRole("link", { name: "Work", exact: true })

/** Answers the open question of a Work as the person of `page`. Returns the status. */
async function answerAsPerson(page: Page, workId: string): Promise<number> {
  return page.evaluate(async (id) => {
    const session = await (await fetch("/desk/session")).json()
    const { data } = await (await fetch(`/api/v1/work/${id}/attention`)).json()
    const [question] = data ?? []
    if (question === undefined) return 404
    const headers = {
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
      "if-match": `"${question.version}"`,
      "desk-person": session.person.id,
    }
    const body = JSON.stringify({ response: "Leave it" })
    return (await fetch(`/api/v1/work/${id}/attention/${question.id}/resolve`, { method: "POST", headers, body }))
      .status
  }, workId)
}

test("what others did in a person's Work is new to them, until they see it in any browser", async ({
  page,
  browser,
  desk,
}) => {
  test.slow()
  await changeAccess(desk, everybodyMay)
  await signInAs(page, "Ben Okafor", "/overview")
  const other = await openAs(browser, desk, "Ben Okafor", "/overview")
  const emil = await openAs(browser, desk, "Emil Berg", "/overview")
  const cleo = await openAs(browser, desk, "Cleo Martin", "/overview")
  // What happened before the first visit is not new, so each desk page has to have asked once.
  for (const each of [page, other, emil, cleo]) {
    await each.evaluate(async () => (await fetch("/desk/seen")).json())
    await expect(region(each)).toHaveCount(0)
  }
  const workId = await createAsPerson(page, "Of Ben")
  await expect.poll(() => answerAsPerson(emil, workId), { timeout: 30_000 }).toBe(200)

  await expect(async () => {
    await page.reload()
    await expect(region(page).getByRole("link", { name: "Of Ben" })).toBeVisible({ timeout: 2_000 })
    await expect(region(page).getByText("Done").first()).toBeVisible({ timeout: 500 })
  }).toPass({ timeout: 30_000 })
  await expect(workLink(page)).toHaveAccessibleDescription("1 new to you")
  await expectAccessible(page)
  await cleo.reload()
  await expect(cleo.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible()
  await expect(workLink(cleo)).toHaveAccessibleDescription("")

  await workLink(page).click()
  await filterBy(page, "New to me", "Only")
  await expect(page).toHaveURL(/\/work\?new=1$/)
  await expect(rows(page)).toHaveText([/Of Ben.*Done/])
  await expectAccessible(page)
  const seen = page.waitForResponse(
    (response) => response.request().method() === "POST" && response.url().endsWith("/desk/seen"),
  )
  await rows(page).first().click()
  expect((await seen).status()).toBe(204)
  await other.reload()
  await expect(other.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible()
  await expect(workLink(other)).toHaveAccessibleDescription("")
  await expect(region(other)).toHaveCount(0)

  // Emil answered in the Work, so its end is new to him, too.
  await expect(async () => {
    await emil.reload()
    await expect(region(emil).getByRole("link", { name: "Of Ben" })).toBeVisible({ timeout: 2_000 })
  }).toPass({ timeout: 30_000 })
  await region(emil).getByRole("button", { name: "Mark all as seen" }).click()
  await expect(region(emil)).toHaveCount(0)
  await expect(emil.getByRole("heading", { level: 1, name: "Overview" })).toBeFocused()
  await expect(workLink(emil)).toHaveAccessibleDescription("")
})
