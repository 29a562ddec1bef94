import { expect, expectAccessible, test } from "./fixtures.ts"
import { alert, arrived, choose, chooseColleague, colleagueChoice, create, file, fill } from "./new-work-verbs.ts"

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
  await expect(colleagueChoice(page, "analyst")).toBeChecked()
})

test("what is missing is said at its field, what is too long disables the button by how much", async ({
  page,
  relay,
}) => {
  await page.goto("/work/new")
  await create(page).click()
  await expect(page.getByText("Choose a colleague.")).toBeVisible()
  await expect(page.getByText("Write an objective.")).toBeVisible()
  await expect(colleagueChoice(page, "analyst")).toBeFocused()
  await chooseColleague(page, "analyst")
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
  await colleagueChoice(page, "analyst").focus()
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("ArrowDown")
  await expect(colleagueChoice(page, "metronome")).toBeChecked()
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
  await expect(create(page)).toHaveAccessibleDescription(/^Still being sent or scanned: one\.csv\./)
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

test("colleagues are offered by name with what they do, and any other id can be entered", async ({ page, relay }) => {
  await page.goto("/work/new")
  const group = page.getByRole("radiogroup", { name: "Colleague" })
  await expect(group.getByRole("radio")).toHaveCount(4)
  await expect(group.getByRole("radio", { name: "Analyst", exact: true })).toHaveAccessibleDescription(
    "Profiles CSV and JSON",
  )
  const field = page.getByRole("textbox", { name: "Colleague id" })
  await expect(field).toHaveCount(0)
  await group.getByRole("radio", { name: "Another id…" }).check()
  // While it is typed, the id equals that of an offered colleague for a moment.
  await field.pressSequentially("editor-2")
  await expect(field).toHaveValue("editor-2")
  await expect(group.getByRole("radio", { name: "Another id…" })).toBeChecked()
  await expectAccessible(page)
  await page.reload()
  await expect(field).toHaveValue("editor-2")
  await group.getByRole("radio", { name: "Editor", exact: true }).check()
  await expect(field).toHaveCount(0)
  await page.getByLabel("Objective").fill("Tidy it")
  await create(page).click()
  await arrived(page)
  expect(relay.mutations().map(({ body }) => JSON.parse(body))).toMatchObject([{ colleague_id: "editor" }])
})

test("a heading in the first line of the objective fills a title that nobody has touched", async ({ page, relay }) => {
  await fill(page, "## October close ##\n\nCompare the two")
  const title = page.getByRole("textbox", { name: "Title" })
  await title.focus()
  await expect(title).toHaveValue("October close")
  await title.fill("")
  await page.getByLabel("Objective").focus()
  await title.focus()
  await expect(title, "an emptied title stays empty").toHaveValue("")
  await title.fill("Mine")
  await create(page).click()
  await arrived(page)
  expect(relay.mutations().map(({ body }) => JSON.parse(body))).toMatchObject([
    { title: "Mine", objective: "## October close ##\n\nCompare the two" },
  ])
})

test("text that is pasted outside a field does nothing", async ({ page }) => {
  await fill(page)
  await page.getByRole("heading", { level: 1 }).focus()
  await page.evaluate(() => {
    const clipboardData = new DataTransfer()
    clipboardData.setData("text/plain", "a,b\n1,2")
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))
  })
  await expect(page.getByLabel("Objective")).toHaveValue("Count the rows")
  await expect(page.locator("main li")).toHaveCount(0)
  await expect(create(page)).toBeEnabled()
})

test.describe("where the desk knows no colleagues", () => {
  test.use({ deskOptions: { environment: { COLLEAGUES: "" } } })

  test("there is only the field Colleague", async ({ page, relay }) => {
    await page.goto("/work/new")
    await page.getByRole("textbox", { name: "Colleague", exact: true }).fill("analyst")
    await expect(page.getByRole("radiogroup")).toHaveCount(0)
    await page.getByLabel("Objective").fill("Count the rows")
    await create(page).click()
    await arrived(page)
    expect(relay.mutations().map(({ body }) => JSON.parse(body))).toMatchObject([{ colleague_id: "analyst" }])
  })
})
