import { expect, expectAccessibleInLightAndDark, test } from "./fixtures.ts"
import { createQuietWork, openItem, readToTheEnd } from "./inbox-verbs.ts"
import { addApproval, addAttention, remove } from "./revise.ts"

test("items that are new since the last visit have a group of their own", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "Seen before" })
  await openItem(page, "/approvals", "Seen before")
  await page.goto("/work")
  addApproval(desk, work.id, { summary: "Not seen yet" })
  await page.goto("/approvals")
  const rows = page.getByRole("list", { name: "Approvals" }).getByRole("listitem")
  await expect(rows).toContainText([/^Seen before/, /^New.*Not seen yet/])
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
  await expect(page).toHaveTitle(/^\(\d\+\??\)/)
  await expect(page.getByText("3 of 3 checked")).toBeVisible()
  await expect(alert).toHaveCount(0)
  await expect(page.getByRole("main").getByRole("link", { name: /request/ })).toHaveCount(3)
  await expect(page).toHaveTitle(/^\(3\)/)
})

test("a list that nobody has touched follows what is known; one that somebody reads keeps its rows", async ({
  page,
  desk,
}) => {
  const work = await createQuietWork(desk)
  const add = (summary: string) => addApproval(desk, work.id, { summary: `${summary} request` })
  const [first, , third] = [add("First"), add("Second"), add("Third")]
  const links = page.getByRole("main").getByRole("link", { name: /request/ })
  await page.goto("/approvals")
  await expect(links).toHaveText([/First/, /Second/, /Third/])
  remove(desk, "approval", first)
  add("Fourth")
  await expect(links).toHaveText([/Second/, /Third/, /Fourth/], { timeout: 40_000 })
  await page.keyboard.press("j")
  await expect(page.getByRole("heading", { name: "Second request" })).toBeVisible()
  remove(desk, "approval", third)
  add("Fifth")
  await expect(links).toHaveText([/Second/, /Third.*no longer pending/s, /Fourth/, /Fifth/], { timeout: 40_000 })
})

test("more than 20 tombstones are one line, and only the rows near the window are in the page", async ({
  page,
  desk,
}) => {
  const work = await createQuietWork(desk)
  const ids = Array.from({ length: 200 }, (_, index) =>
    addApproval(desk, work.id, { summary: `Request ${String(index)} of 200` }, index === 199),
  )
  const links = page.getByRole("main").getByRole("link", { name: /of 200/ })
  await page.goto("/approvals")
  await expect(page.getByRole("link", { name: "Approvals 200" })).toBeVisible()
  // The first rows are rendered before the code that renders only the visible rows has arrived.
  await expect.poll(() => links.count()).toBeLessThan(80)
  for (let pressed = 0; pressed < 3; pressed++) await page.keyboard.press("j")
  await expect(page.getByRole("heading", { name: "Request 2 of 200" })).toBeVisible()
  await page.getByRole("link", { name: "Request 2 of 200" }).focus()
  for (const id of ids.slice(0, 21)) remove(desk, "approval", id)
  await expect(page.getByText("21 no longer pending")).toBeVisible({ timeout: 40_000 })
  await expect(links.first()).toHaveText(/Request 2 of 200.*no longer pending/s)
  await expect(links.nth(1)).toHaveText(/Request 21 of 200/)
  await page.keyboard.press("End")
  await expect(page.getByRole("link", { name: "Request 199 of 200" })).toBeVisible()
})

test("the exact time of a row is whole within the list", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "A request", requested_by_colleague: "a" })
  await page.goto("/approvals")
  const link = page.getByRole("link", { name: "A request" })
  await expect(link).toBeVisible()
  while (!(await link.evaluate((element) => element === document.activeElement))) await page.keyboard.press("Tab")
  const [left, right] = await link.evaluate((element) => {
    const time = element.querySelector("time")
    if (time === null) throw new Error("The row has no time")
    const { left, width } = getComputedStyle(time, "::after")
    const anchor = getComputedStyle(time).position === "static" ? element : time
    const start = anchor.getBoundingClientRect().left + Number.parseFloat(left)
    const list = element.getBoundingClientRect()
    return [start - list.left, list.right - start - Number.parseFloat(width)]
  })
  expect(left).toBeGreaterThanOrEqual(0)
  expect(right).toBeGreaterThanOrEqual(0)
})

for (const [device, width] of [
  ["a desk", 1440],
  ["a phone", 390],
] as const) {
  test(`a long inbox on ${device} renders only the visible rows, and its last row can be reached`, async ({
    page,
    desk,
  }) => {
    await page.setViewportSize({ width, height: 844 })
    const work = await createQuietWork(desk)
    for (let count = 1; count <= 150; count++) addApproval(desk, work.id, { summary: `Request ${count}.` })
    await page.goto("/approvals")
    const links = page.getByRole("list", { name: "Approvals" }).getByRole("link")
    await expect(links.first()).toBeVisible()
    await expect.poll(() => links.count()).toBeLessThan(60)
    await links.first().hover()
    await expect(async () => {
      await page.mouse.wheel(0, 3_000)
      await expect(links.filter({ hasText: "Request 150." })).toBeInViewport({ timeout: 100 })
    }).toPass()
    await expect(page.getByRole("listitem").filter({ hasText: "Request 150." })).toHaveAttribute("aria-posinset", "150")
  })
}

test("axe finds nothing and nothing scrolls sideways at four sizes, with long words and right-to-left texts", async ({
  page,
  desk,
}) => {
  test.setTimeout(180_000)
  const work = await createQuietWork(desk, `\u05e9\u05dc\u05d5\u05dd ${"W".repeat(150)}`)
  const word = "donaudampfschifffahrt".repeat(12)
  addApproval(desk, work.id, {
    summary: `Send ${word} to p\u0430yments@halden.example`,
    destination: `${"x".repeat(60)}@${word.slice(0, 60)}.example`,
    subject: `\u05d7\u05e9\u05d1\u05d5\u05e0\u05d9\u05ea \u202e ${word}`,
    body: `${word}\n\n\u0645\u0631\u062d\u0628\u0627 ${word}`,
  })
  addAttention(desk, work.id, { title: `\u05e9\u05d0\u05dc\u05d4: ${word}`, what_happened: word })
  const look = async (what: string) => {
    const { width } = page.viewportSize() ?? { width: 0 }
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `${what} at ${width} px`).toBe(width)
    await test.step(`${what} at ${width} px`, () => expectAccessibleInLightAndDark(page))
  }
  for (const [width, height] of [
    [1440, 900],
    [1024, 768],
    [390, 844],
    [320, 256],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.goto("/needs-you")
    const rows = page.getByRole("main").locator("[data-row]")
    await expect(rows).toHaveCount(2)
    await look("The list")
    await rows.filter({ hasText: "Approval" }).click()
    await expect(page.getByRole("region", { name: "Before you decide" })).toBeVisible()
    await readToTheEnd(page)
    const approve = page.getByRole("button", { name: "Approve", exact: true })
    await expect(approve).toBeEnabled()
    await look("The approval")
    await approve.click()
    await expect(page.getByRole("dialog", { name: /Mixed scripts: Latin, Cyrillic/ })).toBeVisible()
    await expect(page.getByRole("button", { name: "Confirm approve" })).toBeEnabled()
    await look("The dialog")
    await page.keyboard.press("Escape")
    await page.goto("/needs-you?kind=questions")
    await rows.first().click()
    await expect(page.getByRole("textbox", { name: "Your answer" })).toBeVisible()
    await look("The question")
  }
})
