import { expect, test } from "./fixtures.ts"
import { createAsking } from "./inbox-verbs.ts"

test("says so when the browser lets no page show notices, as on Android, and keeps working", async ({
  page,
  context,
  desk,
}) => {
  await context.addInitScript(() => {
    class RefusedNotice {
      static readonly permission = "granted"
      static requestPermission = () => Promise.resolve("granted")
      constructor() {
        throw new TypeError("Illegal constructor. Use ServiceWorkerRegistration.showNotification() instead.")
      }
    }
    Object.assign(globalThis, { Notification: RefusedNotice })
  })
  await createAsking(desk, "Known before")
  await page.goto("/work")
  await expect(page).toHaveTitle(/^\(1\) /)
  const bell = page.getByRole("button", { name: "Notifications" })
  await bell.click()
  await expect(bell).toHaveAttribute("aria-pressed", "true")
  await createAsking(desk, "New here")
  await expect(page.getByRole("alert")).toContainText("This browser lets no page show notifications.", {
    timeout: 45_000,
  })
  await expect(bell).toHaveAttribute("aria-pressed", "false")
  await expect(page).toHaveTitle(/^\(2\) /)
})

test("says what failed also where the style sheet of its plain words does not arrive", async ({ page, relay }) => {
  await page.route(/\/assets\/(?!index).*\.css$/, (route) => route.abort())
  relay.fail("GET", /\/api\/v1\/work\?/, { kind: "refuse", status: 503, code: "AWAY" })
  await page.goto("/work")
  await expect(page.getByRole("main").getByRole("alert")).toContainText("Refused with 503")
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
  relay.heal()
  await page.getByRole("button", { name: "Refresh" }).click()
  await expect(page.getByRole("heading", { name: "No Work yet" })).toBeVisible()
})
