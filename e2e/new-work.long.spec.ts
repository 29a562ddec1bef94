import { createWork, expect, expectAccessible, test, uploadInput } from "./fixtures.ts"
import { alert, arrived, chooseColleague, colleagueChoice, create, file, fill } from "./new-work-verbs.ts"

test("Create Work is not possible while a file is still being read", async ({ page, relay }) => {
  await fill(page)
  await page.evaluate(async () => {
    const input = document.querySelector<HTMLInputElement>("input[type=file]")
    const button = document.querySelector<HTMLButtonElement>("main button[type=submit]")
    if (input === null || button === null) throw new Error("no form")
    const file = new File(["a,b\n1,2\n"], "slow.csv")
    file.arrayBuffer = () =>
      new Promise((resolve) => {
        addEventListener("read", () => void Blob.prototype.arrayBuffer.call(file).then(resolve), { once: true })
      })
    Object.defineProperty(input, "files", { value: [file], configurable: true })
    input.dispatchEvent(new Event("change", { bubbles: true }))
    await Promise.resolve()
    button.click()
  })
  await expect(create(page)).toHaveAccessibleDescription("A file is still being read.")
  await page.evaluate(() => dispatchEvent(new Event("read")))
  await expect(page.getByText("Ready", { exact: true })).toBeVisible()
  await expect(create(page)).toBeEnabled()
  expect(relay.mutations().map(({ path }) => path)).toEqual(["/api/v1/uploads"])
})

test("while the outcome is unknown the one way to send again is the Work's own", async ({ page, relay }) => {
  await fill(page)
  await page.getByLabel("Inputs").setInputFiles(file("attached.csv", "a,b\n1,2\n"))
  await expect(page.getByText("Ready", { exact: true })).toBeVisible()
  relay.fail("POST", /\/work$/, { kind: "lose-answer" }, 1)
  await create(page).click()
  await expect(alert(page)).toContainText("Outcome unknown")
  await page.reload()
  await expect(page.getByText("Used", { exact: true })).toBeVisible()
  await expect(page.getByRole("button", { name: /Send again/ })).toHaveCount(1)
  await expect(page.getByText("Sent with the Work below, whose outcome is unknown")).toBeVisible()
  await page.getByRole("button", { name: "Send again", exact: true }).click()
  await arrived(page)
})

test("after a reload while it is being created the outcome is unknown, and sending it again leads to the one Work", async ({
  page,
  relay,
  desk,
}) => {
  relay.fail("POST", /\/work$/, { kind: "hold" }, 1)
  await fill(page)
  await create(page).click()
  await expect.poll(() => relay.mutations().length).toBe(1)
  await page.reload()
  await alert(page).getByRole("button", { name: "Send again" }).click()
  await arrived(page)
  relay.release()
  expect(new Set(relay.mutations().map(({ key }) => key)).size).toBe(1)
  expect((await desk.api.GET("/api/v1/work")).data?.data).toHaveLength(1)
})

test("what was changed after an unknown outcome is no part of the Work that is sent again, and stays as a draft", async ({
  page,
  relay,
}) => {
  await fill(page)
  await page.getByLabel("Inputs").setInputFiles(file("first.csv", "a,b\n1,2\n"))
  await expect(page.getByText("Ready", { exact: true })).toBeVisible()
  relay.fail("POST", /\/work$/, { kind: "lose-answer" }, 1)
  await create(page).click()
  await expect(alert(page)).toContainText("Outcome unknown")
  await page.getByLabel("Due").fill("2030-12-24T17:30")
  await page.getByLabel("Inputs").setInputFiles(file("second.csv", "c,d\n3,4\n"))
  await expect(page.getByText("second.csv").first()).toBeVisible()
  await alert(page).getByRole("button", { name: "Send again", exact: true }).click()
  await arrived(page)
  const works = relay.mutations().filter(({ path }) => path === "/api/v1/work")
  expect(works).toHaveLength(2)
  expect(works[1]?.body).toBe(works[0]?.body)

  await page.goto("/work/new")
  await expect(page.getByText(/Your later changes are kept below/)).toBeVisible()
  await expect(page.getByLabel("Objective")).toHaveValue("Count the rows")
  await expect(page.getByLabel("Due")).toHaveValue("2030-12-24T17:30")
  const inputs = page.getByRole("main").getByRole("listitem")
  await expect(inputs).toHaveCount(1)
  await expect(inputs).toContainText("second.csv")
  await expect(inputs).toContainText("Ready")
  await create(page).click()
  await arrived(page)
  const last = relay.mutations().at(-1)
  expect(last?.key).not.toBe(works[0]?.key)
  expect(JSON.parse(last?.body ?? "{}")).toMatchObject({ due_at: "2030-12-24T16:30:00.000Z" })
})

test("503 counts down, and then the person sends the same request under the same key, or a changed one under another", async ({
  page,
  relay,
}) => {
  await page.clock.install()
  const full = { kind: "refuse", status: 503, code: "NO_CAPACITY", headers: { "retry-after": "60" } } as const
  relay.fail("POST", /\/work$/, full, 2)
  await fill(page)
  await create(page).click()
  await expect(alert(page)).toContainText("Refused with 503")
  await expect(alert(page)).toContainText("The relay refused this as NO_CAPACITY.")
  await expect(alert(page)).toContainText("Request ID req_relay_503")
  await expect(alert(page)).toContainText("You can send it in")
  await expect(create(page)).toBeDisabled()
  await expectAccessible(page)
  await page.getByLabel("Title").fill("Another")
  await page.clock.fastForward(61_000)
  expect(relay.mutations()).toHaveLength(1)
  await create(page).click()
  await expect.poll(() => relay.mutations().length).toBe(2)
  await expect(alert(page)).toContainText("You can send it in")
  await page.clock.fastForward(61_000)
  expect(relay.mutations()).toHaveLength(2)
  await alert(page).getByRole("button", { name: "Send again" }).click()
  await arrived(page)
  const [first, second, third] = relay.mutations().map(({ key }) => key)
  expect(second).not.toBe(first)
  expect(third).toBe(second)
})

test("an upload that expired is sent again from what the browser keeps", async ({ page, desk }) => {
  await desk.configure({ uploadLifetimeSeconds: 3 })
  await expect
    .poll(async () => {
      const id = await uploadInput(desk, "probe.csv", "a,b\n1,2\n")
      const { data } = await desk.api.GET("/api/v1/uploads/{id}", { params: { path: { id } } })
      return Date.parse(data?.expires_at ?? "") - Date.parse(data?.created_at ?? "")
    })
    .toBe(3_000)
  await fill(page)
  await page.getByLabel("Inputs").setInputFiles(file("short.csv", "a,b\n1,2\n"))
  await expect(page.getByText("Ready", { exact: true })).toBeVisible()
  await expect(page.getByText("Expired")).toBeVisible()
  await expect(create(page)).toBeDisabled()
  await desk.configure({})
  await expect(async () => {
    await page.getByRole("button", { name: "Send again short.csv" }).click()
    await expect(page.getByText("Ready", { exact: true })).toBeVisible()
  }).toPass()
})

test("an input whose scan failed is not left out: Create Work waits until it is ready", async ({ page, relay }) => {
  await fill(page)
  await page.getByLabel("Inputs").setInputFiles(file("stale-signatures.csv", "a,b\n1,2\n"))
  await expect(page.getByText("Scan failed")).toBeVisible()
  await expect(create(page)).toBeDisabled()
  await expect(create(page)).toHaveAccessibleDescription(/^Not ready: stale-signatures\.csv/)
  await page.getByRole("button", { name: "Scan again stale-signatures.csv" }).click()
  await expect(create(page)).toBeEnabled()
  expect(relay.mutations().filter(({ path }) => path === "/api/v1/work")).toHaveLength(0)
})

test("two tabs that create the one draft at once create one Work", async ({ page, relay, desk }) => {
  relay.fail("POST", /\/work$/, { kind: "hold" }, 1)
  await fill(page)
  const other = await page.context().newPage()
  await other.goto("/work/new")
  await expect(other.getByLabel("Objective")).toHaveValue("Count the rows")
  // Not `click`, which would wait for the button that the first tab has disabled.
  await Promise.all([create(page).dispatchEvent("click"), create(other).dispatchEvent("click")])
  await expect.poll(() => relay.mutations()[0]?.status).toBe(201)
  await expect.poll(() => relay.mutations()[0]?.answer).not.toBe("")
  relay.release()
  await expect.poll(() => [page.url(), other.url()].some((url) => !url.endsWith("/work/new"))).toBe(true)
  expect(new Set(relay.mutations().map(({ key }) => key)).size).toBe(1)
  expect((await desk.api.GET("/api/v1/work")).data?.data).toHaveLength(1)
})

test("the focus stays in the form when its element goes away", async ({ page, relay }) => {
  await fill(page)
  await page.getByLabel("Inputs").setInputFiles([file("one.csv", "a"), file("two.csv", "b")])
  await expect(page.getByText("Ready", { exact: true })).toHaveCount(2)
  const press = async (name: string) => {
    await page.getByRole("button", { name, exact: true }).focus()
    await page.keyboard.press("Enter")
  }
  await press("Remove one.csv")
  await expect(page.getByRole("button", { name: "Remove two.csv" })).toBeFocused()
  await press("Remove two.csv")
  await expect(page.getByLabel("Inputs")).toBeFocused()

  relay.fail("POST", /\/work$/, { kind: "cut" }, 2)
  await press("Create Work")
  await expect(alert(page)).toContainText("Outcome unknown")
  await expect(create(page)).toBeFocused()
  await press("Send again")
  await expect.poll(() => relay.mutations().filter(({ path }) => path.endsWith("/work")).length).toBe(2)
  await expect(create(page)).toBeFocused()
})

test("INPUT_NOT_READY and INPUT_SCAN_FAILED are said in plain words with their codes", async ({ page, relay }) => {
  await fill(page)
  relay.fail(
    "POST",
    /\/work$/,
    { kind: "refuse", status: 409, code: "INPUT_NOT_READY", headers: { "retry-after": "1" } },
    1,
  )
  await create(page).click()
  await expect(alert(page)).toContainText("a file is still being scanned")
  await create(page).click()
  await arrived(page)
  await fill(page)
  relay.fail("POST", /\/work$/, { kind: "refuse", status: 409, code: "INPUT_SCAN_FAILED" }, 1)
  await create(page).click()
  await expect(alert(page)).toContainText("a file didn't pass its scan")
  relay.fail("POST", /\/work$/, { kind: "refuse", status: 409, code: "IDEMPOTENCY_CONFLICT" }, 1)
  await create(page).click()
  await expect(alert(page)).toContainText("already been used for another request")
  await create(page).click()
  await arrived(page)
  const keys = relay.mutations().map(({ key }) => key)
  expect(keys[0]).toBe(keys[1])
  expect(keys[2]).toBe(keys[3])
  expect(keys[4]).not.toBe(keys[3])
})

test("a changed input after a refusal is a new intent", async ({ page, relay }) => {
  relay.fail("POST", /\/work$/, { kind: "refuse", status: 400, code: "INVALID" }, 1)
  await fill(page)
  await create(page).click()
  await expect(alert(page)).toContainText("Refused with 400")
  await page.getByLabel("Title").fill("Another")
  await create(page).click()
  await arrived(page)
  const [first, second] = relay.mutations()
  expect(second?.key).not.toBe(first?.key)
})

test("Start from this fills the form from a Work, and asks before it replaces a draft", async ({ page, desk }) => {
  const work = await createWork(desk, {
    colleague_id: "editor",
    objective: "Once more",
    title: "The first time",
    priority: "high",
    visibility_scope: "organization",
    due_at: "2030-01-02T03:04:00Z",
  })
  await page.goto(`/work/new?from=${work.id}`)
  await expect(page.getByLabel("Objective")).toHaveValue("Once more")
  await expect(colleagueChoice(page, "editor")).toBeChecked()
  await expect(page.getByLabel("Title")).toHaveValue("The first time")
  await expect(page.getByLabel("Priority")).toHaveValue("high")
  await expect(page.getByLabel("Visibility")).toHaveValue("organization")
  await expect(page.getByLabel("Due")).toHaveValue("2030-01-02T04:04")
  await expect(page.getByText(/Filled in from “The first time”/)).toBeVisible()

  await page.getByLabel("Objective").fill("Mine")
  await page.goto(`/work/new?from=${work.id}`)
  await expect(page.getByText(/You already have a draft/)).toBeVisible()
  await expect(page.getByLabel("Objective")).toHaveValue("Mine")
  await expectAccessible(page)
  await page.getByRole("button", { name: "Replace the draft" }).click()
  await expect(page.getByLabel("Objective")).toHaveValue("Once more")
})

test("a person who leaves while the Work is created sees it on coming back", async ({ page, relay, desk }) => {
  relay.fail("POST", /\/work$/, { kind: "hold" }, 1)
  await fill(page)
  await create(page).click()
  await expect.poll(() => relay.mutations().length).toBe(1)
  const navigation = page.getByRole("navigation", { name: "Main" })
  await navigation.getByRole("link", { name: /^Approvals/ }).click()
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/Approvals/)
  await expect.poll(() => relay.mutations()[0]?.answer).not.toBe("")
  relay.release()
  await expect.poll(async () => (await desk.api.GET("/api/v1/work")).data?.data.length).toBe(1)
  await expect(page).toHaveURL(/\/approvals/)
  await navigation.getByRole("link", { name: /^New Work/ }).click()
  await expect(page.getByText(/This Work was created after you left the page/)).toBeVisible()
  await expect(page.getByLabel("Objective")).toHaveValue("")
})

test("with a full storage nothing is sent whose key would be lost, and the page says so", async ({ page, relay }) => {
  await fill(page)
  await page.evaluate(() => {
    for (let characters = 1_000_000; characters >= 1; characters = Math.floor(characters / 2)) {
      for (let count = 0; ; count++) {
        try {
          localStorage.setItem(`somebody else's ${String(characters)} ${String(count)}`, "x".repeat(characters))
        } catch {
          break
        }
      }
    }
  })
  await page.getByLabel("Title").fill("A long title for which there is no room. ".repeat(50))
  await expect(page.getByText(/This text isn't saved: the browser's storage is full/)).toBeVisible()
  await create(page).click()
  await expect(alert(page)).toContainText("Nothing was sent")
  await expect(alert(page)).not.toContainText("Everything you entered is kept.")
  expect(relay.mutations()).toHaveLength(0)
  await page.getByLabel("Inputs").setInputFiles(file("large.csv", "a,b\n".repeat(1_000)))
  await expect(page.getByText(/you'll lose this file if you reload this page/)).toBeVisible()
  await page.getByRole("button", { name: "Remove large.csv" }).click()
  await page.evaluate(() => {
    for (const name of Object.keys(localStorage)) if (name.startsWith("somebody")) localStorage.removeItem(name)
  })
  await page.getByLabel("Title").fill("There is room")
  await create(page).click()
  await arrived(page)
  expect(relay.mutations()).toHaveLength(1)
})

test("the service's own refusals keep everything: unknown colleague, policy, upload not attachable", async ({
  page,
  desk,
  relay,
}) => {
  await fill(page)
  await chooseColleague(page, "nobody")
  await create(page).click()
  await expect(alert(page)).toContainText("Request ID")
  await expect(page.getByText("This colleague doesn't exist")).toBeVisible()
  await chooseColleague(page, "analyst")

  await page.getByLabel("Objective").fill("policy:block")
  await create(page).click()
  await expect(alert(page)).toContainText("data policy")
  await expect(page.getByLabel("Objective")).toHaveValue("policy:block")
  await page.getByLabel("Objective").fill("Count the rows")

  await page.getByLabel("Inputs").setInputFiles(file("used.csv", "a,b\n1,2\n"))
  await expect(page.getByText("Ready", { exact: true })).toBeVisible()
  const upload = relay.mutations().findLast(({ path }) => path.endsWith("/uploads"))
  const { id } = JSON.parse(upload?.answer ?? "{}") as { id: string }
  await createWork(desk, { input_upload_ids: [id] })
  await create(page).click()
  await expect(alert(page)).toContainText("Request ID")
  await expect(page.getByText("Used", { exact: true })).toBeVisible()
  await expect(create(page)).toBeDisabled()
  await page.getByRole("button", { name: "Send again used.csv" }).click()
  await expect(page.getByText("Ready", { exact: true })).toBeVisible()
  await create(page).click()
  await arrived(page)
  const keys = relay.mutations().map(({ key }) => key)
  expect(new Set(keys).size).toBe(keys.length)
})
