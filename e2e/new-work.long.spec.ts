import { expect, expectAccessible, test, uploadInput } from "./fixtures.ts"
import { alert, arrived, create, file, fill } from "./new-work-verbs.ts"

test("a file that is still being read is waited for too", async ({ page, relay }) => {
  await fill(page)
  await page.evaluate(async () => {
    const input = document.querySelector<HTMLInputElement>("input[type=file]")
    const button = document.querySelector<HTMLButtonElement>("main button[type=submit]")
    if (input === null || button === null) throw new Error("no form")
    const file = new File(["a,b\n1,2\n"], "slow.csv")
    file.arrayBuffer = () =>
      new Promise((resolve) => setTimeout(() => void Blob.prototype.arrayBuffer.call(file).then(resolve), 500))
    Object.defineProperty(input, "files", { value: [file], configurable: true })
    input.dispatchEvent(new Event("change", { bubbles: true }))
    await Promise.resolve()
    button.click()
  })
  await arrived(page)
  const [upload, work] = relay.mutations()
  expect(upload?.path).toBe("/api/v1/uploads")
  expect(JSON.parse(work?.body ?? "")).toMatchObject({ input_upload_ids: [expect.any(String)] })
})

test("while the outcome is unknown the one way to send again is the Work's own", async ({ page, relay }) => {
  await fill(page)
  await page.getByLabel("Inputs").setInputFiles(file("attached.csv", "a,b\n1,2\n"))
  await expect(page.getByText("Ready", { exact: true })).toBeVisible()
  relay.fail("POST", /\/work$/, { kind: "lose-answer" }, 1)
  await create(page).click()
  await expect(alert(page)).toContainText("Outcome unknown")
  await page.reload()
  await expect(page.getByText("Consumed")).toBeVisible()
  await expect(page.getByRole("button", { name: /Send again/ })).toHaveCount(1)
  await expect(page.getByText("Sent with the Work below, whose outcome is unknown")).toBeVisible()
  await page.getByRole("button", { name: "Send again", exact: true }).click()
  await arrived(page)
})

test("a reload while it is being created leads to the one Work", async ({ page, relay, desk }) => {
  relay.fail("POST", /\/work$/, { kind: "hold" }, 1)
  await fill(page)
  await create(page).click()
  await expect.poll(() => relay.mutations().length).toBe(1)
  await page.reload()
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
  await expect(page.getByText(/What you changed after sending is kept below/)).toBeVisible()
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

test("503 counts down and tries again by itself under the same key, if the person leaves it on", async ({
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
  await expect(alert(page)).toContainText("tries again by itself in")
  await expect(create(page)).toBeDisabled()
  await expectAccessible(page)
  await alert(page).getByRole("checkbox").uncheck()
  await expect(alert(page)).not.toContainText("tries again by itself in")
  await page.clock.fastForward(61_000)
  await expect(create(page)).toBeEnabled()
  expect(relay.mutations()).toHaveLength(1)
  await create(page).click()
  await expect.poll(() => relay.mutations().length).toBe(2)
  await alert(page).getByRole("checkbox").check()
  await expect(alert(page)).toContainText("tries again by itself in")
  await page.clock.fastForward(61_000)
  await arrived(page)
  expect(new Set(relay.mutations().map(({ key }) => key)).size).toBe(1)
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
