import { expect, test } from "./fixtures.ts"
import { createQuietWork, decide, openItem } from "./inbox-verbs.ts"
import { addApproval, addAttention } from "./revise.ts"

test("the oldest stands first, J, K and arrows move, and the address names the choice", async ({ page, desk }) => {
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

test("what came since the last visit stands on a shelf of its own", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "Seen before" })
  await openItem(page, "/approvals", "Seen before")
  await page.goto("/work")
  addApproval(desk, work.id, { summary: "Not seen yet" })
  await page.goto("/approvals")
  await expect(page.getByRole("region", { name: "Earlier" }).getByRole("link")).toContainText("Seen before")
  await expect(page.getByRole("region", { name: "New" }).getByRole("link")).toContainText("Not seen yet")
})

test("the badge and its list agree, and reach nothing", async ({ page, desk }) => {
  const badge = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /Approvals/ })
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "The only request" })
  await openItem(page, "/approvals", "The only request")
  await expect(badge).toHaveText("Approvals 1")
  await decide(page, "approve")
  await expect(badge).toHaveText("Approvals")
  await expect(page).toHaveTitle(/^Approvals/)
  await page.goto("/approvals")
  await expect(page.getByText("Nothing waits for you")).toBeVisible()
})

test("a Retry-After is said, kept, and the gathering goes on from where it was", async ({ page, desk, relay }) => {
  for (const name of ["Alpha", "Beta", "Gamma"]) {
    const work = await createQuietWork(desk, name)
    addApproval(desk, work.id, { summary: `${name} request` })
  }
  const refusal = { kind: "refuse", status: 429, code: "RATE", headers: { "retry-after": "5" } } as const
  relay.fail("GET", /\/approvals\?status=pending$/, refusal, 1)
  await page.goto("/approvals")
  const alert = page.getByRole("alert")
  await expect(alert).toContainText("req_relay_429")
  await expect(alert).toContainText(/tries again by itself in [1-5] s/)
  await expect(page).toHaveTitle(/^\(\d\+\)/)
  const refused = relay.passed.find(({ status }) => status === 429)
  const again = () => relay.passed.filter(({ path }) => path === refused?.path).length
  expect(again()).toBe(1)
  await expect(page.getByText("3 of 3 checked")).toBeVisible()
  await expect(alert).toHaveCount(0)
  await expect(page.getByRole("main").getByRole("link", { name: /request/ })).toHaveCount(3)
  expect(again()).toBeGreaterThan(1)
})

test("500 Works: bounded requests at a time, the newest asked first, and a second visit is cheap", async ({
  page,
  desk,
  relay,
}, testInfo) => {
  test.setTimeout(180_000)
  await desk.configure({ limits: { activeWork: 1000 } })
  const workIds: string[] = []
  for (let batch = 0; batch < 25; batch++) {
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, index) => createQuietWork(desk, `Work ${batch * 20 + index}`)),
    )
    workIds.push(...made.map(({ id }) => id))
  }
  const waiting = workIds.filter((_, index) => index % 50 === 0)
  for (const [index, id] of waiting.entries()) addApproval(desk, id, { summary: `Request ${index}` })
  const requests = () => relay.passed.filter(({ path }) => path.includes("/approvals") || /\/work\?/.test(path)).length
  await desk.configure({ limits: { activeWork: 1000, readPerMinute: 600 } })

  const begun = Date.now()
  await page.goto("/approvals")
  const links = page.getByRole("main").getByRole("link", { name: /^Request/ })
  await expect(links.first()).toBeVisible()
  const first = Date.now() - begun
  await expect(page.getByText("500 of 500 checked")).toBeVisible({ timeout: 120_000 })
  const last = Date.now() - begun
  await expect(links).toHaveCount(10)
  const firstVisit = requests()
  const asked = relay.passed.flatMap(({ path }) => /\/work\/([^/]+)\/approvals/.exec(path)?.[1] ?? [])
  expect(new Set(asked.slice(0, 500)).size).toBe(500)
  const order = asked.slice(0, 500).map((id) => workIds.indexOf(id))
  // Four at a time: neighbours may overtake each other, and Work of one batch was made at the same moment.
  for (const [at, index] of order.entries()) expect(Math.abs(499 - at - index)).toBeLessThan(30)
  expect(relay.passed.every(({ status }) => status !== 429)).toBe(true)

  await page.goto("/work")
  await page.goto("/approvals")
  await expect(links).toHaveCount(10)
  await expect(page.getByText("500 of 500 checked")).toBeVisible()
  const secondVisit = requests() - firstVisit
  expect(secondVisit).toBeLessThan(100)
  testInfo.annotations.push({
    type: "figures",
    description: `500 Works: first item ${first} ms, last ${last} ms, ${firstVisit} requests; two page loads later ${secondVisit} more`,
  })
  console.log(testInfo.annotations.at(-1)?.description)
})
