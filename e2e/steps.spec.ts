import { activity, log } from "./feed-verbs.ts"
import { createWork, expect, expectAccessibleInLightAndDark, test, uploadInput } from "./fixtures.ts"
import { decide } from "./inbox-verbs.ts"

test("a Work of the embedded service is shown in steps, and each of its events is listed under Raw", async ({
  page,
  desk,
}) => {
  const input = await uploadInput(desk, "october.csv", "city,amount\nParis,3\nRome,4\n")
  const work = await createWork(desk, {
    objective: "Profile the inputs and send it to finance@halden.example",
    input_upload_ids: [input],
    title: "October",
  })
  await page.goto(`/work/${work.id}`)
  const steps = log(page).locator("> ol > li")
  await expect(steps.last()).toContainText("Created")
  await expect(steps.filter({ hasText: "Asked a question" }).getByRole("link")).toHaveAttribute("href", /^\/needs-you/)
  await page.getByRole("textbox", { name: "Your answer" }).fill("The amount matters most")
  await page.getByRole("button", { name: "Send answer" }).click()
  await expect(steps.filter({ hasText: "Answered" })).toContainText("“The amount matters most”")
  await expect(steps.filter({ hasText: "Asked for approval" }).getByRole("link")).toHaveAttribute(
    "href",
    /^\/approvals/,
  )
  await decide(page, "approve", "Correct, thanks.")
  await expect(steps.filter({ hasText: "Approved" })).toContainText("“Correct, thanks.”")
  await expect(steps.first()).toContainText("Done")
  await expect(steps.filter({ hasText: /\d results?/ }).first()).toContainText(".md")
  await expectAccessibleInLightAndDark(page)

  // A match opens its fold.
  await page.getByRole("searchbox", { name: "Find in activity" }).fill("october.csv")
  await expect(log(page).getByText("input.consumed")).toBeVisible()
  await page.getByRole("searchbox", { name: "Find in activity" }).fill("")
  await expect(log(page).getByText("input.consumed")).toHaveCount(0)

  await activity(page).getByRole("link", { name: "Raw" }).click()
  await expect(page).toHaveURL(/activity=raw/)
  const raw = log(page).getByRole("listitem")
  await expect(raw.last()).toContainText("work.created")
  const ids = (await raw.locator("summary").allInnerTexts()).map((text) => Number(/(\d+)\s*$/.exec(text)?.[1]))
  expect(ids).toEqual(ids.map((_, index) => ids.length - index))
  await activity(page).getByRole("link", { name: "Steps" }).click()
  await expect(steps.last()).toContainText("Created")
})
