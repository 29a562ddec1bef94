import { readFile } from "node:fs/promises"
import { createWork, expect, expectAccessible, expectAccessibleInLightAndDark, test, uploadInput } from "./fixtures.ts"
import { retitle } from "./revise.ts"

const CSV = "invoice,amount\n4417,1840\n4418,12\n4417,1480\n"

test("a Work is shown in full: head, regions, objective, every field exact", async ({ page, desk }) => {
  const input = await uploadInput(desk, "october.csv", CSV)
  const work = await createWork(desk, {
    title: "Reconcile <b>October</b>",
    objective: "Match every row.\nKeep the numbers.",
    priority: "urgent",
    visibility_scope: "team",
    due_at: "2020-01-02T03:04:05Z",
    input_upload_ids: [input],
  })
  await page.goto(`/work/${work.id}`)
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Reconcile <b>October</b>")
  for (const name of ["Needs You", "Activity"])
    await expect(page.getByRole("region", { name, exact: true })).toBeVisible()
  for (const name of ["Approvals", "Artifacts"])
    await expect(page.getByRole("region", { name, exact: true })).toHaveText("None")
  const main = page.getByRole("main")
  await main.getByText(/^Overdue/).focus()
  await expect(main.getByRole("tooltip")).toContainText("2020")
  await expect(main).toContainText("Urgent priority")
  await expect(main).toContainText("Team")
  await expect(main).toContainText(/Overdue/)
  await expect(page.getByRole("region", { name: "Objective" })).toContainText("Match every row.")
  await page.getByText("All fields").click()
  const read = async () => (await desk.api.GET("/api/v1/work/{id}", { params: { path: { id: work.id } } })).data
  await expect.poll(async () => (await read())?.status).toBe("needs_you")
  const now = await read()
  const fields = page.getByRole("group").filter({ has: page.getByText("All fields") })
  for (const value of [
    now?.id,
    now?.human_owner_id,
    now?.created_by,
    now?.created_at,
    now?.due_at,
    now?.current_attention_id,
  ])
    await expect(fields).toContainText(String(value))
  await expect(page).toHaveTitle(/Reconcile/)
})

test("a Work that changes while it is open says so, and ends with its result", async ({ page, desk }) => {
  const input = await uploadInput(desk, "october.csv", CSV)
  const work = await createWork(desk, { title: "Reconcile", input_upload_ids: [input] })
  await page.goto(`/work/${work.id}`)
  const needsYou = page.getByRole("region", { name: "Needs You" })
  await needsYou.getByRole("textbox", { name: "Your answer" }).fill("invoice")
  await needsYou.getByRole("button", { name: "Send answer" }).click()
  const approvals = page.getByRole("region", { name: "Approvals" })
  await approvals.getByRole("button", { name: "Decline" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Confirm decline" }).click()
  await expect(page.getByRole("region", { name: "Result" })).toBeVisible()
  await expect(page.getByText("The status is now Done.")).toBeAttached()
  await expect(page.getByRole("main")).toContainText("Done")
})

test("a title or objective that changes is announced, not swapped", async ({ page, desk }) => {
  const work = await createWork(desk, { colleague_id: "metronome", objective: "rate=1", title: "Before" })
  await page.goto(`/work/${work.id}`)
  const title = page.getByRole("heading", { level: 1 })
  await expect(title).toHaveText("Before")
  retitle(desk, work.id, "After")
  await expect(page.getByRole("button", { name: "Show the change" })).toBeVisible()
  await expect(title).toHaveText("Before")
  await page.getByRole("button", { name: "Show the change" }).click()
  await expect(title).toHaveText("After")
})

test("a Work that is not visible says so in one heading and one sentence, with one way out", async ({ page }) => {
  const answered = page.waitForResponse(/\/api\/v1\/work\/nothing\.at\.all$/)
  await page.goto("/work/nothing.at.all")
  const { title, detail } = await (await answered).json()
  const alert = page.getByRole("alert")
  await expect(alert).toHaveText(new RegExp(`^${title}${detail}Go to WorkRequest ID `))
  await expect(page.getByRole("main").getByRole("heading")).toHaveText([title])
  await expect(page).toHaveTitle(`${title} · Workdesk`)
  await expect(page.getByRole("region", { name: "Activity" })).toHaveCount(0)
  await expectAccessible(page)
  await alert.getByRole("link", { name: "Go to Work" }).click()
  await expect(page).toHaveURL(/\/work$/)
})

test("the whole Work is exported as Markdown", async ({ page, desk }) => {
  const input = await uploadInput(desk, "october.csv", CSV)
  const work = await createWork(desk, { title: "Reconcile", objective: "Match every row.", input_upload_ids: [input] })
  await page.goto(`/work/${work.id}?activity=raw`)
  await expect(page.getByRole("textbox", { name: "Your answer" })).toBeVisible()
  await expect(page.getByRole("log")).toContainText("work.needs_you")
  const downloading = page.waitForEvent("download")
  await page.getByRole("button", { name: "Export Markdown" }).click()
  const record = await readFile(await (await downloading).path(), "utf8")
  for (const words of [
    "Reconcile",
    "Match every row.",
    "## Clarifications",
    "## Approvals",
    "## Artifacts",
    "work.created",
    work.id,
  ])
    expect(record).toContain(words)
})

test("another Work starts from this one", async ({ page, desk }) => {
  const work = await createWork(desk, { title: "Again" })
  await page.goto(`/work/${work.id}`)
  await page.getByRole("link", { name: "Start from this" }).click()
  await expect(page).toHaveURL(/\/work\/new/)
  await expect(page.getByRole("textbox", { name: "Title" })).toHaveValue("Again")
})

test("it fits a phone, keeps its layout while it loads, and is accessible", async ({ page, desk }) => {
  const input = await uploadInput(desk, "october.csv", CSV)
  const work = await createWork(desk, { title: "Reconcile", input_upload_ids: [input] })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`/work/${work.id}`)
  await expect(page.getByRole("textbox", { name: "Your answer" })).toBeVisible()
  const main = page.getByRole("main")
  const start = main.getByRole("link", { name: "Start from this" })
  const actions = [start, main.getByRole("button", { name: "Copy link" }).first(), main.getByText("More").first()]
  const tops = await Promise.all(actions.map((action) => action.evaluate((each) => each.getBoundingClientRect().top)))
  expect(new Set(tops).size).toBe(1)
  await expect(page.getByRole("button", { name: "Print" })).toBeHidden()
  await actions[2]?.click()
  await expect(page.getByRole("button", { name: "Print" })).toBeVisible()
  await page.keyboard.press("Tab")
  await page.keyboard.press("Escape")
  await expect(page.getByRole("button", { name: "Print" })).toBeHidden()
  await expect(main.locator("summary", { hasText: "More" }).first()).toBeFocused()
  const needsYou = await page.getByRole("region", { name: "Needs You" }).boundingBox()
  const activity = await page.getByRole("region", { name: "Activity" }).boundingBox()
  expect(activity?.y ?? 0).toBeGreaterThan((needsYou?.y ?? 0) + (needsYou?.height ?? 0))
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await expectAccessibleInLightAndDark(page)
})

test("the link to a Work is copied", async ({ page, desk, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  const work = await createWork(desk, { colleague_id: "metronome", title: "Linked" })
  await page.goto(`/work/${work.id}`)
  await page.getByRole("button", { name: "Copy link" }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(`${desk.url}/work/${work.id}`)
})

test("an objective is shown as Markdown without links, images and headings, or as it was written", async ({
  page,
  desk,
}) => {
  const objective =
    "# The October close\n\n- Sort by **supplier**\n- Send it to finance@halden.example\n\nSee [the rules](https://evil.example/rules) ![](https://evil.example/a.png) <b>now</b>"
  const work = await createWork(desk, { colleague_id: "metronome", objective, title: "October" })
  const elsewhere: string[] = []
  page.on("request", (request) => {
    if (request.url().includes("evil.example")) elsewhere.push(request.url())
  })
  await page.goto(`/work/${work.id}`)
  const region = page.getByRole("region", { name: "Objective" })
  await expect(region.getByRole("listitem")).toHaveText(["Sort by supplier", "Send it to finance@halden.example"])
  await expect(region.getByText("The October close", { exact: true })).toBeVisible()
  await expect(region.getByRole("heading")).toHaveText(["Objective"])
  await expect(region).toContainText("https://evil.example/rules")
  await expect(region).toContainText("<b>now</b>")
  await expect(region.locator("a, img, b")).toHaveCount(0)
  await expectAccessibleInLightAndDark(page)
  await region.getByRole("button", { name: "Show as written" }).press("Enter")
  await expect(region.getByRole("button", { name: "Show as written" })).toHaveAttribute("aria-pressed", "true")
  await expect(region).toContainText("# The October close")
  await expect(region).toContainText("- Sort by **supplier**")
  await expect(region.getByRole("listitem")).toHaveCount(0)
  expect(elsewhere).toEqual([])
})

test("a Work without items has no empty headings, and a plain objective has nothing to switch", async ({
  page,
  desk,
}) => {
  const work = await createWork(desk, { colleague_id: "metronome", objective: "rate=1\nask nothing", title: "Plain" })
  await page.goto(`/work/${work.id}`)
  const region = page.getByRole("region", { name: "Objective" })
  // Where nothing was asked and nothing is there yet, no heading says so.
  await expect(page.getByRole("log")).toContainText("Created")
  await expect(page.getByRole("main").getByRole("heading", { level: 2 })).toHaveText(["Objective", "Activity"])
  await expect(region.getByText("rate=1")).toHaveCSS("white-space", /^pre-wrap/)
  await expect(region.getByRole("button")).toHaveCount(0)
})
