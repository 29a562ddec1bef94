import { chromium } from "@playwright/test"
import { getGlobalDispatcher, setGlobalDispatcher } from "undici"
import { leadTo } from "../src/desk/notices/channels/push-receiver.ts"
import { startNoticeCatcher } from "../src/demo/notice-catcher.ts"
import { DEMONSTRATION_PUSH_HOSTS } from "../src/demo/push-device.ts"
import { expect, expectAccessibleInLightAndDark, test } from "./fixtures.ts"
import { approvalToDecide, SUMMARY } from "./inbox-verbs.ts"
import { changeAccess, choosePerson, signInAs } from "./people-verbs.ts"
import {
  clickBanner,
  deskWithPush,
  openDelivery,
  pushButton,
  registerWorker,
  subscribeWithoutService,
  thisBrowser,
  wholeChromium,
} from "./push-verbs.ts"

test.use({
  deskOptions: deskWithPush,
  permissions: ["notifications"],
  launchOptions: [({ launchOptions }, provide) => provide(wholeChromium(launchOptions)), { scope: "worker" }],
})

test("a person pushes to this device, sees it in the list and removes it, and the worker says what waits", async ({
  page,
}) => {
  await subscribeWithoutService(page)
  await signInAs(page, "Ada Lovelace")
  await page.goto("/notices")
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0)
  await pushButton(page).click()
  const device = thisBrowser(page).getByRole("listitem")
  await expect(device).toContainText(/Chrome on \w+, since \d+ \w+/)
  const isOn = thisBrowser(page).getByRole("checkbox", { name: "Push", exact: true })
  await expect(isOn).toBeChecked()
  await expect(thisBrowser(page)).toContainText("This device gets pushes")
  await expectAccessibleInLightAndDark(page)
  await isOn.uncheck()
  await expect(thisBrowser(page)).not.toContainText("This device gets pushes")
  await isOn.check()

  const deliver = await openDelivery(page)
  const push = (kind: string, number: number, path: string) => deliver(JSON.stringify({ kind, number, path }))
  expect(await push("approval", 1, "/approvals?item=a")).toEqual(["An approval waits", "/approvals?item=a"])
  expect(await push("items", 3, "//evil.example/approvals")).toEqual(["3 items wait", "/"])
  expect(await push("own done", 1, "/work/1")).toEqual(["Your Work is done", "/work/1"])
  expect(await push("works", 3, "/work")).toEqual(["3 of your Works changed", "/work"])
  expect(await deliver("no JSON")).toEqual(["Something waits at Workdesk", "/"])

  await device.getByRole("button", { name: "Remove" }).click()
  await expect(device).toHaveCount(0)
  await expect(pushButton(page)).toBeEnabled()
})

test("a click on a banner opens its path in a tab of the desk, behind the sign-in where that is needed, else in a new tab", async ({
  page,
  desk,
}) => {
  await changeAccess(desk, () => ({ roles: { reader: ["anyone"], approver: ["anyone"] }, rules: [] }))
  const { id } = await approvalToDecide(desk)
  const path = `/approvals?item=${id}`
  await signInAs(page, "Ada Lovelace")
  await registerWorker(page)
  const deliver = await openDelivery(page)
  const push = (to: string) => deliver(JSON.stringify({ kind: "approval", number: 1, path: to }))

  await push(path)
  expect(await clickBanner(page, "An approval waits")).toEqual([])
  await expect(page).toHaveURL(desk.url + path)
  await expect(page.getByRole("article")).toContainText(SUMMARY)

  await push("https://evil.example/approvals")
  await clickBanner(page, "An approval waits")
  await expect(page).toHaveURL(/^http:\/\/127\.0\.0\.1:\d+\/needs-you$/)

  await page.context().clearCookies()
  await push(path)
  await clickBanner(page, "An approval waits")
  await expect(page).toHaveURL(desk.url + path)
  await page.getByRole("button", { name: "Sign in" }).click()
  await choosePerson(page, "Ada Lovelace")
  await expect(page).toHaveURL(desk.url + path)
  await expect(page.getByRole("article")).toContainText(SUMMARY)

  await push(path)
  expect(await clickBanner(page, "An approval waits", { raises: false })).toEqual([path])
})

test("Chromium can install the desk", async ({ desk, launchOptions }) => {
  // Chromium installs nothing in the private window that other tests have.
  await using context = await chromium.launchPersistentContext("", launchOptions)
  const [page = await context.newPage()] = context.pages()
  await page.goto(desk.url)
  const session = await context.newCDPSession(page)
  expect(await session.send("Page.getInstallabilityErrors")).toEqual({ installabilityErrors: [] })
  const { data, errors } = await session.send("Page.getAppManifest")
  expect(errors).toEqual([])
  const manifest = JSON.parse(data ?? "")
  expect(manifest).toMatchObject({ name: "Workdesk", display: "standalone", start_url: "/" })
  for (const { src, sizes, type } of manifest.icons) {
    const icon = await page.request.get(src)
    expect([icon.status(), icon.headers()["content-type"]], src).toEqual([200, type])
    if (type !== "image/png") continue
    const body = await icon.body()
    expect(`${body.readUInt32BE(16)}x${body.readUInt32BE(20)}`).toBe(sizes)
  }
  const purposes = manifest.icons.filter(({ type }: { type: string }) => type === "image/png")
  expect(purposes.map(({ sizes, purpose }: { sizes: string; purpose?: string }) => [sizes, purpose])).toEqual([
    ["192x192", undefined],
    ["512x512", undefined],
    ["192x192", "maskable"],
    ["512x512", "maskable"],
  ])
  const worker = await page.request.get("/push.js")
  expect([worker.status(), worker.headers()["cache-control"]]).toEqual([200, "no-cache"])
})

test.describe("in the demonstration", () => {
  const environment = { ...deskWithPush.environment, PUSH_HOSTS: DEMONSTRATION_PUSH_HOSTS, NOTICE_BATCH: "0s" }
  test.use({ deskOptions: { people: true, environment } })

  test("Ada has a device, and its page shows what is pushed to her as her browser does", async ({
    page,
    browser,
    desk,
  }) => {
    const before = getGlobalDispatcher()
    const catcher = await startNoticeCatcher(desk.url, test.info().outputPath("kept-heads.txt"))
    try {
      setGlobalDispatcher(leadTo(new URL(catcher.pageUrl).origin))
      await catcher.pushDevice.addTo(desk.url)
      await changeAccess(desk, () => ({ roles: { reader: ["anyone"], approver: ["anyone"] }, rules: [] }))
      const { id } = await approvalToDecide(desk)

      await signInAs(page, "Ada Lovelace", "/notices")
      const device = thisBrowser(page).getByRole("listitem").filter({ hasText: "Demonstration page" })
      await device.getByRole("button", { name: "Send a test" }).click()
      await expect(device.getByRole("status")).toHaveText("Sent")
      const arrived = await (await browser.newContext()).newPage()
      await arrived.goto(catcher.pageUrl)
      await expect(arrived.getByRole("article")).toContainText(/A test from Workdesk.*To Ada's device/s)

      const ben = await (await browser.newContext({ baseURL: desk.url })).newPage()
      await signInAs(ben, "Ben Okafor", `/approvals?item=${id}`)
      await ben.getByRole("button", { name: "Take it" }).click()
      await ben.getByRole("button", { name: "Hand to", exact: true }).click()
      const dialog = ben.getByRole("dialog", { name: "Hand to" })
      await dialog.getByRole("combobox", { name: "To" }).selectOption("Ada Lovelace")
      await dialog.getByRole("button", { name: "Hand over" }).click()
      const push = arrived.getByRole("article").filter({ hasText: "An approval waits" })
      // The page reads itself again every five seconds.
      await expect(push).toContainText("To Ada's device", { timeout: 30_000 })
      const link = push.getByRole("link")
      await expect(link).toHaveAttribute("href", `${desk.url}/approvals?item=${id}`)
    } finally {
      setGlobalDispatcher(before)
      catcher.stop()
    }
  })
})
