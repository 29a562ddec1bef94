import type { Page } from "@playwright/test"
import { expect, expectAccessibleInLightAndDark, test } from "./fixtures.ts"
import { signInAs } from "./people-verbs.ts"
import { addDevices, deskWithPush, pushButton, thisBrowser, wholeChromium } from "./push-verbs.ts"

test.use({
  deskOptions: deskWithPush,
  launchOptions: [({ launchOptions }, provide) => provide(wholeChromium(launchOptions)), { scope: "worker" }],
})

/** How often the page has asked the browser for the permission. */
const askedTimes = (page: Page) => page.evaluate(() => Number(Reflect.get(globalThis, "asked")))

for (const [name, viewport] of Object.entries({
  "on a desk": { width: 1440, height: 900 },
  "on a phone": { width: 390, height: 844 },
}))
  test.describe(name, () => {
    test.use({ viewport })

    test("the browser is asked on the click alone, and a refusal says what to do", async ({ page }) => {
      await page.addInitScript(() => {
        const ask = Notification.requestPermission.bind(Notification)
        let asked = 0
        Object.defineProperty(globalThis, "asked", { get: () => asked })
        Notification.requestPermission = () => {
          asked++
          return ask()
        }
      })
      await signInAs(page, "Ada Lovelace", "/notices")
      await expect(thisBrowser(page)).toContainText("A push arrives even when no tab is open")
      await expect(thisBrowser(page).getByRole("alert")).toHaveCount(0)
      expect(await askedTimes(page)).toBe(0)
      await pushButton(page).focus()
      await page.keyboard.press("Enter")
      await expect(thisBrowser(page).getByRole("alert")).toHaveText(
        "The browser is blocking notifications here. Allow them in its settings for this site, then press the button again.",
      )
      expect(await askedTimes(page)).toBe(1)
      await expect(pushButton(page)).toBeFocused()
      await expect(thisBrowser(page).getByRole("listitem")).toHaveCount(0)
      await expectAccessibleInLightAndDark(page)
    })

    test("a person removes devices with the keyboard, and a long name stays within the page", async ({ page }) => {
      await signInAs(page, "Ada Lovelace")
      const long = "W".repeat(100)
      await addDevices(page, ["Firefox on Linux", "Safari on iPhone", long])
      await page.goto("/notices")
      const devices = thisBrowser(page).getByRole("listitem")
      await expect(devices).toHaveCount(3)
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
      for (const device of await devices.all()) {
        const [test, remove] = await Promise.all(
          ["Send a test", "Remove"].map((button) => device.getByRole("button", { name: button }).boundingBox()),
        )
        expect(remove?.y).toBe(test?.y)
      }
      await expectAccessibleInLightAndDark(page)

      await expect(devices.first()).toContainText(/^Firefox on Linux, since \d+ \w+/)
      await expect(devices.first().getByRole("button", { name: "Remove" })).toHaveAccessibleDescription(
        /^Firefox on Linux/,
      )
      // The desk sends no mail, so the choices that hold for push stand without those of mail.
      await expect(page.getByRole("combobox", { name: "Your own Work" })).toHaveValue("end")
      await page.getByRole("combobox", { name: "Quiet from" }).selectOption("21:30")
      await expect(page.getByRole("combobox", { name: "Quiet until" })).toHaveValue("08:00")
      for (const left of [2, 1, 0]) {
        await devices.last().getByRole("button", { name: "Remove" }).focus()
        await page.keyboard.press("Enter")
        await expect(devices).toHaveCount(left)
        const said = thisBrowser(page).getByRole("status").filter({ hasText: "was removed" })
        await expect(said).toContainText(left === 2 ? long : left === 1 ? "Safari on iPhone" : "Firefox on Linux")
        await expect(said).toBeFocused()
      }
    })

    test("a browser without push offers none; an iPhone says to add the desk to the home screen", async ({
      page,
      browser,
      desk,
    }) => {
      await page.addInitScript(() => Reflect.deleteProperty(globalThis, "PushManager"))
      await signInAs(page, "Ada Lovelace", "/notices")
      await expect(thisBrowser(page)).toBeVisible()
      // The choices of mail come with the same answers as those of push.
      await expect(page.getByRole("heading", { name: "Away" })).toBeVisible()
      await expect(pushButton(page)).toHaveCount(0)
      await expect(thisBrowser(page)).not.toContainText(/push/i)

      const context = await browser.newContext({
        baseURL: desk.url,
        viewport,
        userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1",
      })
      const phone = await context.newPage()
      await phone.addInitScript(() => {
        Reflect.deleteProperty(globalThis, "PushManager")
        Object.defineProperty(navigator, "standalone", { value: false })
      })
      await signInAs(phone, "Ada Lovelace", "/notices")
      await expect(thisBrowser(phone)).toContainText(
        "For push on an iPhone or iPad, add Workdesk to the home screen first and open it from there.",
      )
      await expect(pushButton(phone)).toHaveCount(0)
      await context.close()
    })
  })
