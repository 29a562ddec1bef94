import { expect, test } from "./fixtures.ts"
import { approvalToDecide, createQuietWork, decide, openItem } from "./inbox-verbs.ts"
import { addApproval, addAttention } from "./revise.ts"

test("the oldest item is first, J, K and arrows move, and the address names the chosen item", async ({
  page,
  desk,
}) => {
  const titles = ["Alpha asks", "Beta asks", "Gamma asks"]
  for (const title of titles) {
    const work = await createQuietWork(desk, `Work of ${title}`)
    addAttention(desk, work.id, { title })
  }
  await page.goto("/needs-you")
  const links = page.getByRole("main").getByRole("link", { name: /asks/ })
  await expect(links).toHaveText([/Alpha/, /Beta/, /Gamma/])
  await expect(page.getByText("3 of 3 checked")).toBeVisible()
  await expect(page).toHaveTitle(/^\(3\)/)

  await page.keyboard.press("j")
  await expect(page.getByRole("heading", { name: "Alpha asks" })).toBeVisible()
  await expect(page).toHaveURL(/[?&]item=/)
  await page.keyboard.press("j")
  await page.keyboard.press("ArrowDown")
  await expect(page.getByRole("heading", { name: "Gamma asks" })).toBeVisible()
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("k")
  await page.keyboard.press("k")
  await page.keyboard.press("j")
  await expect(page.getByRole("heading", { name: "Beta asks" })).toBeVisible()
  await page.keyboard.press("ArrowUp")
  await expect(page.getByRole("heading", { name: "Alpha asks" })).toBeVisible()
  // The address follows when the keys rest.
  const address = new URL((await links.first().getAttribute("href")) ?? "", desk.url).href
  await expect(page).toHaveURL(address)
  await page.getByRole("textbox", { name: "Your answer" }).focus()
  await page.keyboard.type("jk")
  await expect(page.getByRole("heading", { name: "Alpha asks" })).toBeVisible()

  await page.goto("/needs-you")
  await page.goto(address)
  await expect(page.getByRole("heading", { name: "Alpha asks" })).toBeVisible()
  const withoutWork = new URL(address)
  withoutWork.searchParams.delete("work")
  await page.goto(withoutWork.href)
  await expect(page.getByRole("heading", { name: "Alpha asks" })).toBeVisible()
})

test("the count and its list agree, and reach zero", async ({ page, desk }) => {
  const badge = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /Approvals/ })
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "The only request" })
  await openItem(page, "/approvals", "The only request")
  await expect(badge).toHaveText("Approvals 1")
  await decide(page, "approve")
  await expect(badge).toHaveText("Approvals")
  await expect(page).toHaveTitle(/^Approvals/)
  await page.goto("/approvals")
  await expect(page.getByRole("heading", { name: "No approvals need you." })).toBeVisible()
})

test("the letter has room beside the list of a narrow window", async ({ page, desk }) => {
  const { id } = await approvalToDecide(desk)
  await page.setViewportSize({ width: 721, height: 800 })
  await page.goto(`/approvals?item=${id}`)
  const title = page.getByRole("article").getByRole("heading")
  await expect(title).toBeVisible()
  expect((await title.boundingBox())?.width).toBeGreaterThan(180)
})
