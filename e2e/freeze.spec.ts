import { expect, expectAccessibleInLightAndDark, test } from "./fixtures.ts"
import { readToTheEnd, approvalOf, approvalToDecide, decide, openItem, SUMMARY } from "./inbox-verbs.ts"
import { create, fill } from "./new-work-verbs.ts"

test("the dialog says that no Work has the frozen colleague", async ({ page, desk }) => {
  await approvalToDecide(desk)
  await page.goto("/overview")
  await page.getByRole("button", { name: "Freeze…" }).click()
  await page.getByRole("dialog").getByLabel("Applies to").selectOption("editor")
  await page.getByRole("textbox", { name: "Reason" }).fill("It sends letters in a loop")
  await page.getByRole("dialog").getByRole("button", { name: "Freeze", exact: true }).click()
  const frozen = page.getByRole("dialog", { name: "Frozen" })
  await expect(frozen).toContainText("The desk hasn't seen any Work by editor.")
  await frozen.getByRole("button", { name: "Close" }).click()
  await expect(page.getByRole("dialog")).toHaveCount(0)
  await page.getByRole("button", { name: "End the freeze" }).click()
  await page.getByRole("button", { name: "Confirm the end" }).click()
  await expect(page.getByText("You have frozen")).toHaveCount(0)
})

test("whoever may freeze says why, every page says it until the end, and what was typed stays", async ({
  page,
  desk,
}) => {
  const { workId, id } = await approvalToDecide(desk)
  await page.goto("/work/new")
  await fill(page)
  const other = await page.context().newPage()
  await openItem(other, "/approvals", SUMMARY)
  await readToTheEnd(other)
  await other.getByRole("button", { name: "Approve", exact: true }).click()
  await other.getByRole("textbox", { name: "Comment" }).fill("Agreed with Ana")

  const overview = await page.context().newPage()
  await overview.goto("/overview")
  await overview.getByRole("button", { name: "Freeze…" }).click()
  await expect(overview.getByRole("textbox", { name: "Reason" })).toBeFocused()
  await overview.keyboard.insertText(`It sends letters in a loop. ${"Ask Ana before you end this. ".repeat(8)}`)
  await overview.getByRole("dialog").getByRole("button", { name: "Freeze", exact: true }).click()
  for (const each of [page, other, overview]) {
    const banner = each.getByRole("main").getByRole("alert").first()
    await expect(banner).toContainText("You have frozen this desk.")
    await expect(banner).toContainText("It sends letters in a loop")
  }
  await expect(overview.getByRole("dialog")).toHaveCount(0)
  await expectAccessibleInLightAndDark(overview)
  await expect(create(page)).toBeDisabled()
  await expect(create(page)).toHaveAccessibleDescription(/You have frozen this desk.*in a loop/)

  await expect(other.getByRole("dialog").getByRole("button", { name: "Confirm approve" })).toBeDisabled()
  await expect(other.getByRole("dialog")).toContainText("You have frozen this desk.")
  await other.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
  const approve = other.getByRole("button", { name: "Approve", exact: true })
  await expect(approve).toHaveAccessibleDescription(/You have frozen this desk.*in a loop/)
  // On a phone a long reason leaves the letter its room.
  await other.setViewportSize({ width: 390, height: 844 })
  await expect(other.getByText("Ask Ana before you end this.").first()).toBeVisible()
  const bar = await approve.locator("..").boundingBox()
  expect(bar?.height).toBeLessThan(844 / 3)
  expect(await approvalOf(desk, workId, id)).toMatchObject({ status: "pending" })

  await overview.getByRole("button", { name: "End the freeze" }).click()
  await overview.getByRole("button", { name: "Confirm the end" }).click()
  await expect(overview.getByRole("heading", { level: 1, name: "Overview" })).toBeFocused()
  await expect(overview.getByText("You have frozen")).toHaveCount(0)
  await expect(create(page)).toBeEnabled()
  await decide(other, "approve")
  await expect(other.getByRole("article")).toContainText("Agreed with Ana")
})

test("End the freeze ends the freeze that was seen, and no newer one", async ({ page, desk }) => {
  await approvalToDecide(desk)
  const freeze = (reason: string) =>
    page.evaluate(
      (data) => fetch("/desk/freeze", { method: "PUT", headers: { "content-type": "application/json" }, body: data }),
      JSON.stringify({ colleague: null, reason }),
    )
  await page.goto("/overview")
  await freeze("It sends letters in a loop")
  await page.getByRole("button", { name: "End the freeze" }).click()
  const dialog = page.getByRole("dialog", { name: "End the freeze?" })
  await expect(dialog).toContainText("It sends letters in a loop")
  await freeze("The auditors are here")
  await expect(dialog.getByRole("status").filter({ hasText: "This freeze ended or changed" })).toBeVisible()
  const confirm = dialog.getByRole("button", { name: "Confirm the end" })
  await expect(confirm).toBeDisabled()
  await confirm.click({ force: true })
  await dialog.getByRole("button", { name: "Cancel" }).click()
  await expect(page.getByRole("main").getByRole("alert").first()).toContainText("The auditors are here")
})

for (const [name, viewport] of Object.entries({
  "a desk": { width: 1440, height: 900 },
  "a phone": { width: 390, height: 844 },
}))
  test(`on ${name} all banners share one line, and the first row begins within the first quarter`, async ({
    page,
    desk,
  }) => {
    await page.setViewportSize(viewport)
    await approvalToDecide(desk)
    await page.goto("/overview")
    await page.getByRole("button", { name: "Freeze…" }).click()
    await page
      .getByRole("textbox", { name: "Reason" })
      .fill(`It sends letters in a loop. ${"Ask Ana first. ".repeat(12)}`)
    await page.getByRole("dialog").getByRole("button", { name: "Freeze", exact: true }).click()
    const banner = page.getByRole("alert").filter({ hasText: "You have frozen this desk." })
    await expect(banner).toBeVisible()
    await page.goto("/needs-you")
    const row = page.getByRole("main").getByRole("link", { name: SUMMARY })
    await expect(row).toBeVisible()
    await expect(banner).toBeVisible()
    const heightOf = async (what: typeof banner) => (await what.boundingBox())?.height ?? Infinity
    const header = page.getByRole("heading", { level: 1 }).locator("xpath=../..")
    const isPhone = viewport.width < 600
    const tabs = isPhone ? await heightOf(page.getByRole("navigation", { name: "Kinds" })) : 0
    expect(await heightOf(banner)).toBe(44)
    expect((await heightOf(header)) - tabs).toBeLessThanOrEqual(56)
    expect((await row.boundingBox())?.y).toBeLessThan(viewport.height / 4)
    await page.context().setOffline(true)
    await page.getByRole("button", { name: "and 1 more" }).click()
    await expect(page.getByText("You're offline")).toBeVisible()
    await page.getByRole("button", { name: "Show less" }).click()
    await expect(page.getByText("You're offline")).toBeHidden()
    expect(await heightOf(banner)).toBe(44)
    await banner.getByRole("button", { name: "More" }).click()
    await expect(banner.getByText(/^Frozen .* Nothing can be approved/)).toBeVisible()
    await expectAccessibleInLightAndDark(page)
    await page.context().setOffline(false)
  })
