import { once } from "node:events"
import { SMTPServer } from "smtp-server"
import { expect, expectAccessible, expectAccessibleInLightAndDark, test } from "./fixtures.ts"
import { moreButton, navigation, signInAs } from "./people-verbs.ts"

test("in local mode the page says that there is no mail, and is reached from the menu and the palette", async ({
  page,
}) => {
  const asked: string[] = []
  page.on("request", (request) => asked.push(new URL(request.url()).pathname))
  await page.goto("/work")
  await moreButton(page).click()
  await page.getByRole("link", { name: "Notices" }).click()
  await expect(page).toHaveURL(/\/notices$/)
  await expect(page.getByRole("heading", { level: 1, name: "Notices" })).toBeVisible()
  await expect(page.getByText("no sign-in, so it can't send mail")).toBeVisible()
  await expect(page.getByRole("combobox")).toHaveCount(0)
  await expect(page.getByRole("checkbox", { name: "Show a notice while a tab is open" })).toBeVisible()
  expect(asked).not.toContain("/desk/notices")
  await expectAccessibleInLightAndDark(page)
  await page.goto("/work")
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
  await page.keyboard.press("Control+k")
  await page.getByRole("combobox", { name: "Go to" }).fill("notices")
  await page.keyboard.press("Enter")
  await expect(page.getByRole("heading", { level: 1, name: "Notices" })).toBeVisible()
})

for (const answer of ["denied", "default"])
  test(`a prompt that is answered with "${answer}" leaves the choice off and says what to do`, async ({ page }) => {
    // A headless browser shows no prompt.
    await page.addInitScript((given) => {
      const asking = {
        permission: "default",
        requestPermission: () => {
          asking.permission = given
          return Promise.resolve(given)
        },
      }
      Object.assign(globalThis, { Notification: asking })
    }, answer)
    await page.goto("/notices")
    const box = page.getByRole("checkbox", { name: "Show a notice while a tab is open" })
    await expect(page.getByRole("main").getByRole("alert")).toHaveCount(0)
    await box.focus()
    await page.keyboard.press("Space")
    await expect(page.getByRole("main").getByRole("alert")).toHaveText(
      "The browser is blocking notifications here. Allow them in its settings for this site, then check the box again.",
    )
    await expect(box).not.toBeChecked()
    await expect(box).toBeFocused()
    await expectAccessible(page)
    await page.evaluate(() =>
      Object.assign(Notification, { permission: "granted", requestPermission: () => Promise.resolve("granted") }),
    )
    await box.check()
    await expect(page.getByRole("main").getByRole("alert")).toHaveCount(0)
  })

test.describe("with sign-in", () => {
  test.use({ deskOptions: { people: true } })

  test("a desk without a mail server says so, and the person's menu leads to the page", async ({ page }) => {
    await signInAs(page, "Ada Lovelace")
    await navigation(page).getByRole("button", { name: "Ada Lovelace" }).click()
    await navigation(page).getByRole("link", { name: "Notices" }).click()
    await expect(page.getByRole("heading", { level: 1, name: "Notices" })).toBeVisible()
    await expect(navigation(page).getByRole("link", { name: "Notices" })).toBeHidden()
    await expect(page.getByText("This desk sends no mail.")).toBeVisible()
    await expectAccessible(page)
  })
})

const withMail = test.extend<{ addressees: string[] }>({
  addressees: async ({ browserName: _browserName }, provide) => provide([]),
  deskOptions: async ({ addressees }, provide) => {
    const server = new SMTPServer({
      disabledCommands: ["AUTH", "STARTTLS"],
      onData: (stream, session, done) => {
        addressees.push(...session.envelope.rcptTo.map(({ address }) => address))
        stream.resume().on("end", () => done())
      },
    })
    const socket = server.listen(0, "127.0.0.1")
    await once(socket, "listening")
    const address = socket.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    await provide({
      people: true,
      environment: { SMTP_URL: `smtp://127.0.0.1:${port}`, NOTICE_FROM: "desk@example.com" },
    })
    server.close(() => undefined)
  },
})

withMail(
  "each change is stored at once, a test mail comes, and two browsers lose no change",
  async ({ page, browser, addressees }) => {
    await signInAs(page, "Ada Lovelace", "/notices")
    const mail = page.getByRole("combobox", { name: "Mail" })
    const until = page.getByRole("combobox", { name: "Quiet until" })
    const urgent = page.getByRole("checkbox", { name: "Urgent Work at once" })
    await expect(mail).toHaveValue("hourly")
    await expect(mail.getByRole("option")).toHaveText(["At once", "Hourly", "Daily", "Off"])
    await expect(urgent).toBeChecked()
    await expect(page.getByText("In your time zone, Europe/Madrid.")).toBeVisible()
    await expectAccessibleInLightAndDark(page)

    const elsewhere = await (await browser.newContext({ baseURL: new URL(page.url()).origin })).newPage()
    await signInAs(elsewhere, "Ada Lovelace", "/notices")
    await expect(elsewhere.getByRole("combobox", { name: "Mail" })).toHaveValue("hourly")
    await mail.selectOption("Daily")
    await page.getByRole("combobox", { name: "Quiet from" }).selectOption("21:30")
    await expect(until).toHaveValue("08:00")
    // The other browser does not know of this change.
    const urgentElsewhere = elsewhere.getByRole("checkbox", { name: "Urgent Work at once" })
    await urgentElsewhere.click()
    await expect(urgentElsewhere).not.toBeChecked()
    await expect(elsewhere.getByRole("combobox", { name: "Mail" })).toHaveValue("daily")
    await elsewhere.context().close()

    const own = page.getByRole("combobox", { name: "Your own Work" })
    await expect(own).toHaveValue("end")
    await expect(own.getByRole("option")).toHaveText(["Its end", "Every step", "Off"])
    await own.selectOption("Every step")
    await expect(page.getByText("Your Work: done, paused, each decision.")).toBeVisible()

    await page.reload()
    await expect(own).toHaveValue("steps")
    await expect(mail).toHaveValue("daily")
    await expect(page.getByRole("combobox", { name: "Quiet from" })).toHaveValue("21:30")
    await expect(until).toHaveValue("08:00")
    await expect(urgent).not.toBeChecked()
    await page.getByRole("combobox", { name: "Quiet from" }).selectOption("None")
    await expect(until).toHaveValue("")

    await expect(page.getByText("No mail has been sent to you yet.")).toBeVisible()
    await page.getByRole("button", { name: "Send a test mail" }).click()
    await expect(page.getByText(/^Last mail delivered/)).toBeVisible()
    expect(addressees).toEqual(["ada@example.com"])
  },
)

withMail("every choice is made with the keyboard alone", async ({ page, addressees }) => {
  await signInAs(page, "Ada Lovelace", "/notices")
  const focused = page.locator(":focus")
  await page.getByRole("combobox", { name: "Mail" }).focus()
  await page.keyboard.press("ArrowDown")
  await expect(page.getByRole("combobox", { name: "Mail" })).toHaveValue("daily")
  await page.keyboard.press("Tab")
  await expect(focused).toHaveAccessibleName("Urgent Work at once")
  await page.keyboard.press("Space")
  await expect(focused).not.toBeChecked()
  await page.keyboard.press("Tab")
  await expect(focused).toHaveAccessibleName("Quiet from")
  await page.keyboard.press("ArrowDown")
  await expect(focused).toHaveValue("00:00")
  await page.keyboard.press("Tab")
  await expect(focused).toHaveAccessibleName("Quiet until")
  await page.keyboard.press("ArrowDown")
  await expect(focused).toHaveValue("08:30")
  await page.keyboard.press("Tab")
  await expect(focused).toHaveAccessibleName("Send a test mail")
  await page.keyboard.press("Enter")
  await expect(page.getByText(/^Last mail delivered/)).toBeVisible()
  expect(addressees).toEqual(["ada@example.com"])
  // The time of the last mail has the focus in between.
  await page.keyboard.press("Tab")
  await page.keyboard.press("Tab")
  await expect(focused).toHaveAccessibleName("Your own Work")
  await page.keyboard.press("ArrowDown")
  await expect(focused).toHaveValue("steps")
  await page.reload()
  await expect(page.getByRole("combobox", { name: "Mail" })).toHaveValue("daily")
  await expect(page.getByRole("combobox", { name: "Quiet until" })).toHaveValue("08:30")
  await expect(page.getByRole("checkbox", { name: "Urgent Work at once" })).not.toBeChecked()
})
