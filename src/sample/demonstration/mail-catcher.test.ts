import { expect, onTestFinished, test } from "vitest"
import { writeTestMail } from "../../notices/mail-text.ts"
import { readMailServer } from "../../notices/mail-configuration.ts"
import { sendMail } from "../../notices/smtp.ts"
import { startMailCatcher } from "./mail-catcher.ts"

test("the page shows a mail with its link to the desk", async () => {
  const catcher = await startMailCatcher("http://localhost:4400")
  onTestFinished(() => catcher.stop())
  const server = readMailServer(catcher.smtpUrl)
  if (server === undefined) throw new Error("the address is not valid")
  expect(await (await fetch(catcher.pageUrl)).text()).toContain("No mail has arrived")
  const parts = { id: "a", to: "ada@example.com", from: { name: "Workdesk", address: "desk@example.com" }, now: 0 }
  const mail = writeTestMail({ ...parts, publicUrl: new URL("http://localhost:4400"), labelOf: (id) => id })
  expect(await sendMail(server, { ...mail, text: `${mail.text}<b>é</b>\n` })).toMatchObject({ kind: "accepted" })
  const page = await (await fetch(catcher.pageUrl)).text()
  expect(page).toContain("To ada@example.com")
  expect(page).toContain('<a href="http://localhost:4400/notices" target="_blank">')
  expect(page).toContain("&lt;b&gt;é&lt;/b&gt;")
})
