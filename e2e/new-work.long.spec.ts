import { expect, test } from "./fixtures.ts"
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
