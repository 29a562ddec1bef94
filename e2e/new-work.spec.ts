import { expect, expectAccessible, test } from "./fixtures.ts"
import { alert, arrived, choose, create, file, fill } from "./new-work-verbs.ts"

test("every field arrives as the service understands it", async ({ page, relay, desk }) => {
  await fill(page, "Compare the two 😀\nsecond line")
  await page.getByLabel("Title").fill("October")
  await page.getByLabel("Priority").selectOption({ label: "Urgent" })
  await page.getByLabel("Visibility").selectOption({ label: "Team" })
  await page.getByLabel("Due").fill("2026-12-24T17:30")
  await page.getByLabel("Time limit").fill("1 h 30 min")
  await expect(page.getByText(/Europe\/Madrid/)).toBeVisible()
  await expect(page.getByText("1 hour 30 minutes")).toBeVisible()
  await page.getByLabel("Inputs").setInputFiles([file("one.csv", "a,b\n1,2\n"), file("two.json", '[{"a":1}]')])
  await expect(page.getByText("Ready", { exact: true })).toHaveCount(2)
  await expectAccessible(page)
  await page.getByLabel("Title").press("ControlOrMeta+Enter")
  await arrived(page)
  await expect(page.getByRole("heading", { level: 1, name: "October" })).toBeVisible()

  const sent = relay.mutations().filter(({ path }) => path === "/api/v1/work")
  expect(sent).toHaveLength(1)
  expect(JSON.parse(sent[0]?.body ?? "")).toEqual({
    colleague_id: "analyst",
    objective: "Compare the two 😀\nsecond line",
    title: "October",
    priority: "urgent",
    visibility_scope: "team",
    due_at: "2026-12-24T16:30:00.000Z",
    active_execution_limit_seconds: 5400,
    input_upload_ids: [expect.any(String), expect.any(String)],
  })
  const { data } = await desk.api.GET("/api/v1/work")
  expect(data?.data).toHaveLength(1)
  const left = await page.evaluate(() =>
    Object.keys(localStorage).filter((name) => /new-work|create-work|upload|input/.test(name)),
  )
  expect(left).toEqual([])
  await page.goto("/work/new")
  await expect(page.getByLabel("Objective")).toHaveValue("")
  await expect(page.getByLabel("Colleague")).toHaveValue("analyst")
})

test("what is missing is said at its field, what is too long disables the button by how much", async ({
  page,
  relay,
}) => {
  await page.goto("/work/new")
  await create(page).click()
  await expect(page.getByText("Choose a colleague.")).toBeVisible()
  await expect(page.getByText("Write an objective.")).toBeVisible()
  await expect(page.getByLabel("Colleague")).toBeFocused()
  await page.getByLabel("Colleague").fill("analyst")
  await page.getByLabel("Objective").fill("😀".repeat(4002))
  await expect(create(page)).toBeDisabled()
  await expect(create(page)).toHaveAccessibleDescription(/2 characters too many/)
  const field = page.getByLabel("Objective").locator("xpath=..")
  await expect(field.getByText("2 characters too many"), "said once at the field").toHaveCount(1)
  await expect(page.getByLabel("Objective")).toHaveValue("😀".repeat(4002))
  await page.getByLabel("Objective").fill("x".repeat(4000))
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  await page.getByLabel("Objective").fill("😀".repeat(4000))
  await expect(create(page)).toBeEnabled()
  await page.getByLabel("Time limit").fill("25 h")
  await expect(create(page)).toBeDisabled()
  await expect(page.getByText("1 hour too long: at most 24 hours.").first()).toBeVisible()
  await expectAccessible(page)
  expect(relay.mutations()).toHaveLength(0)
})

test("the draft survives reloads and other tabs, with its uploads", async ({ page }) => {
  await fill(page, "Half an objective")
  await page.getByLabel("Inputs").setInputFiles(file("kept.csv", "a,b\n1,2\n"))
  await expect(page.getByText("Ready", { exact: true })).toBeVisible()
  await page.reload()
  await expect(page.getByLabel("Objective")).toHaveValue("Half an objective")
  await expect(page.getByText("kept.csv").first()).toBeVisible()
  const other = await page.context().newPage()
  await other.goto("/work/new")
  await other.getByLabel("Title").fill("From the other tab")
  await expect(page.getByLabel("Title")).toHaveValue("From the other tab")
})

test("a double click and a held key create one Work", async ({ page, relay }) => {
  await fill(page)
  await create(page).dblclick()
  await arrived(page)
  expect(relay.mutations()).toHaveLength(1)
})

test("an unknown outcome stays, survives a reload, and is sent again under its key", async ({ page, relay, desk }) => {
  relay.fail("POST", /\/work$/, { kind: "lose-answer" }, 1)
  await fill(page)
  await create(page).click()
  await expect(alert(page)).toContainText("Outcome unknown")
  await expect(alert(page)).toContainText("Everything you entered is kept.")
  await expect(page.getByLabel("Objective")).toHaveValue("Count the rows")
  await expectAccessible(page)
  await page.reload()
  await alert(page).getByRole("button", { name: "Send again" }).click()
  await arrived(page)
  const [first, second] = relay.mutations()
  expect(second?.key).toBe(first?.key)
  expect(second?.answer).toBe(first?.answer)
  expect((await desk.api.GET("/api/v1/work")).data?.data).toHaveLength(1)
})

test("everything can be done by the keyboard alone", async ({ page }) => {
  await page.goto("/work/new")
  await page.getByLabel("Colleague").focus()
  await page.keyboard.type("metronome")
  await page.keyboard.press("Escape")
  await page.keyboard.press("Tab")
  await page.keyboard.type("Tick, rate=1")
  await page.keyboard.press("Tab")
  await page.keyboard.type("By keys")
  await page.keyboard.press("Tab")
  await expect(page.getByLabel("Inputs")).toBeFocused()
  await page.keyboard.press("Tab")
  await expect(page.getByLabel("Priority")).toBeFocused()
  await page.keyboard.press("ControlOrMeta+Enter")
  await arrived(page)
  await expect(page.getByRole("heading", { level: 1, name: "By keys" })).toBeVisible()
})

test("Create Work is not possible until the last scan is over, says why, and nothing is sent by itself", async ({
  page,
  relay,
}) => {
  relay.fail("POST", /\/uploads$/, { kind: "hold" }, 1)
  await fill(page, "Count the ro")
  await choose(page, file("one.csv", "a,b\n1,2\n"))
  await expect(create(page)).toBeDisabled()
  await expect(create(page)).toHaveAccessibleDescription(/^Not yet: one\.csv is still being sent or scanned\./)
  await create(page).click({ force: true })
  await page.getByLabel("Objective").press("ControlOrMeta+Enter")
  await expect.poll(() => relay.mutations()[0]?.answer).not.toBe("")
  relay.release()
  await expect(page.getByText("Ready", { exact: true })).toBeVisible()
  await expect(create(page)).toBeEnabled()
  await page.getByLabel("Objective").fill("Count the rows of October")
  const sent = () => relay.mutations().filter(({ path }) => path === "/api/v1/work")
  expect(sent()).toHaveLength(0)
  await create(page).click()
  await arrived(page)
  expect(sent().map(({ body }) => JSON.parse(body))).toMatchObject([{ objective: "Count the rows of October" }])
})
