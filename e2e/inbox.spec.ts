import { expect, test } from "./fixtures.ts"
import { createQuietWork, decide, openItem } from "./inbox-verbs.ts"
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
  const address = page.url()
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

test("items that are new since the last visit have a group of their own", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "Seen before" })
  await openItem(page, "/approvals", "Seen before")
  await page.goto("/work")
  addApproval(desk, work.id, { summary: "Not seen yet" })
  await page.goto("/approvals")
  await expect(page.getByRole("region", { name: "Earlier" }).getByRole("link")).toContainText("Seen before")
  await expect(page.getByRole("region", { name: "New" }).getByRole("link")).toContainText("Not seen yet")
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
  await expect(page.getByRole("heading", { name: "No approvals are waiting" })).toBeVisible()
})

test("what the service refuses is said with its Request ID, and the count says that it is not complete", async ({
  page,
  desk,
  relay,
}) => {
  for (const name of ["Alpha", "Beta", "Gamma"]) {
    const work = await createQuietWork(desk, name)
    addApproval(desk, work.id, { summary: `${name} request` })
  }
  const refusal = { kind: "refuse", status: 429, code: "RATE", headers: { "retry-after": "5" } } as const
  relay.fail("GET", /\/approvals/, refusal, 1)
  await page.goto("/approvals")
  const alert = page.getByRole("alert")
  await expect(alert).toContainText("req_relay_429")
  await expect(page).toHaveTitle(/^\(\d\+\)/)
  await expect(page.getByText("3 of 3 checked")).toBeVisible()
  await expect(alert).toHaveCount(0)
  await expect(page.getByRole("main").getByRole("link", { name: /request/ })).toHaveCount(3)
  await expect(page).toHaveTitle(/^\(3\)/)
})
