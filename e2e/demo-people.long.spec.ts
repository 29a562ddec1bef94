import { readToTheEnd } from "./inbox-verbs.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test as base, expect } from "@playwright/test"
import type { WorkList } from "../src/contract/resources.ts"
import { approve, chooseInMenu, choosePerson, navigation, signInAs } from "./people-verbs.ts"
import { startProgram, type Program } from "./program.ts"
import { chooseColleague } from "./new-work-verbs.ts"

/** The demonstration as `npm run demo -- --people` makes it. */
const test = base.extend<{ demo: Program }>({
  // The filling is not of the time that a test has.
  demo: [
    async ({ browserName }, provide) => {
      const folder = await mkdtemp(join(tmpdir(), `workdesk-demo-people-${browserName}-`))
      const demo = await startProgram("src/commands/demo.ts", { PORT: "0", DATA_DIR: folder }, ["--people"])
      await provide(demo)
      await demo.stop()
      await rm(folder, { recursive: true, force: true })
    },
    { timeout: 120_000 },
  ],
})

test("with people: Ben delegates and may not approve, Ada approves, and the record says who decided", async ({
  demo,
  browser,
}) => {
  const page = await browser.newPage({ baseURL: demo.url })
  await signInAs(page, "Ben Okafor", "/work/new")
  await chooseColleague(page, "analyst")
  await page.getByLabel("Objective").fill("Send the totals to finance@bank.example")
  await page.getByLabel("Title").fill("Totals for the bank")
  await page.getByRole("button", { name: "Create Work" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Totals for the bank" })).toBeVisible()
  const needsYou = page.getByRole("region", { name: "Needs You" })
  await needsYou.getByRole("textbox", { name: "Your answer" }).fill("All of them")
  await needsYou.getByRole("button", { name: "Send answer" }).click()
  const approvals = page.getByRole("region", { name: "Approvals" })
  await expect(approvals.getByRole("button", { name: "Approve" })).toBeDisabled()
  await expect(approvals).toContainText("Ask the demonstration's administrator")

  const address = page.url()
  await chooseInMenu(page, "Ben Okafor", "Switch person")
  await choosePerson(page, "Ada Lovelace")
  await expect(page).toHaveURL(address)
  await readToTheEnd(page)
  await approvals.getByRole("button", { name: "Approve" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Confirm approve" }).click()
  await expect(approvals).toContainText("Approved by Ada Lovelace")

  await navigation(page).getByRole("link", { name: "Record" }).click()
  const entries = page.getByRole("main").getByRole("listitem")
  await expect(entries.filter({ hasText: "Ada Lovelace" }).first()).toContainText(/approve/i)
  await expect(entries.filter({ hasText: "Ben Okafor" }).first()).toBeVisible()
  await page.close()
})

test("with people: Work was delegated and decided by them, Cleo cannot see private Work, and Dora sees it as an overseer", async ({
  demo,
  browser,
}) => {
  const open = async (name: "Cleo Martin" | "Dora Lind") => {
    const page = await browser.newPage({ baseURL: demo.url })
    await signInAs(page, name, "/work")
    return page
  }
  const title = "Clean up the interview notes"
  const dora = await open("Dora Lind")
  await dora.getByRole("main").getByRole("link", { name: title }).click()
  await expect(dora.getByRole("heading", { level: 1, name: title })).toBeVisible()
  await expect(dora.getByRole("main")).toContainText("You see this as an overseer")
  const cleo = await open("Cleo Martin")
  await expect(cleo.getByRole("main").getByRole("link", { name: "October invoices by supplier" })).toBeVisible()
  await expect(cleo.getByRole("main").getByRole("link", { name: title })).toHaveCount(0)
  await cleo.goto(dora.url())
  await expect(cleo.getByRole("main")).not.toContainText(title)
  await navigation(cleo).getByRole("link", { name: "Record" }).click()
  const entries = cleo.getByRole("main").getByRole("listitem")
  await expect(entries.filter({ hasText: "Ada Lovelace" }).first()).toBeVisible()
  await expect(entries.filter({ hasText: "Ben Okafor" }).first()).toBeVisible()
})

test("with people: words are found, a change that was asked for is delegated again, and Ada stands in for Emil", async ({
  demo,
  browser,
}) => {
  const ada = await browser.newPage({ baseURL: demo.url })
  await signInAs(ada, "Ada Lovelace", "/approvals")
  const inbox = ada.getByRole("main")
  await expect(inbox.getByRole("link", { name: /museum\.example/ })).toBeVisible()
  await ada.keyboard.press("/")
  await ada.keyboard.type("survey")
  await expect(inbox.getByText(/^2 of \d+$/)).toBeVisible()
  await expect(inbox.getByRole("link", { name: /museum\.example/ })).toHaveCount(0)

  await ada.goto("/approvals?for=mine")
  await inbox.getByRole("link", { name: /roof-crew/ }).click()
  await expect(ada.getByRole("article")).toContainText("Handed to Emil Berg by Ada Lovelace")
  await expect(ada.getByRole("article")).toContainText(/Emil Berg is away until .+; Ada Lovelace stands in/)

  const emil = await (await browser.newContext({ baseURL: demo.url })).newPage()
  await signInAs(emil, "Emil Berg", "/work")
  await expect(emil.getByRole("status").filter({ hasText: "You are marked as away until" })).toBeVisible()

  const ben = await (await browser.newContext({ baseURL: demo.url })).newPage()
  await signInAs(ben, "Ben Okafor", "/work")
  const { data } = (await (await ben.request.get("/api/v1/work?limit=100")).json()) as WorkList
  await ben.goto(`/work/${data.find(({ title }) => title === "Survey for the board")?.id ?? ""}`)
  await ben.getByRole("link", { name: "Delegate again with this change" }).click()
  await expect(ben.getByLabel("Objective")).toHaveValue(/\n> /)
})

test("with people: Dora freezes the analyst while Ada confirms, and ends it, and the record says both", async ({
  demo,
  browser,
}) => {
  const open = async (name: "Ada Lovelace" | "Ben Okafor" | "Dora Lind", address: string) => {
    const page = await browser.newPage({ baseURL: demo.url })
    await signInAs(page, name, address)
    return page
  }
  const ada = await open("Ada Lovelace", "/approvals")
  await ada
    .getByRole("main")
    .getByRole("link", { name: /October invoices by supplier/ })
    .click()
  await readToTheEnd(ada)
  await approve(ada).click()
  const dialog = ada.getByRole("dialog")
  await dialog.getByRole("textbox", { name: "Comment" }).fill("The sums agree")
  const dora = await open("Dora Lind", "/overview")
  await dora.getByRole("button", { name: "Freeze…" }).click()
  await dora.getByRole("combobox", { name: "Applies to" }).selectOption("analyst")
  await dora.getByRole("textbox", { name: "Reason" }).fill("It writes to the wrong addresses")
  await dora.getByRole("dialog").getByRole("button", { name: "Freeze", exact: true }).click()
  await expect(ada.getByRole("main").getByRole("alert").first()).toContainText("It writes to the wrong addresses")
  await expect(dialog).toContainText("Dora Lind has frozen the colleague analyst.")
  await expect(dialog.getByRole("button", { name: "Confirm approve" })).toBeDisabled()
  const ben = await open("Ben Okafor", "/work/new")
  await chooseColleague(ben, "analyst")
  await ben.getByLabel("Objective").fill("Send the totals to finance@bank.example")
  const create = ben.getByRole("button", { name: "Create Work" })
  await expect(create).toHaveAccessibleDescription(/It writes to the wrong addresses/)
  await chooseColleague(ben, "editor")
  await expect(create).toBeEnabled()
  await dora.getByRole("button", { name: "End the freeze" }).click()
  await dora.getByRole("button", { name: "Confirm the end" }).click()
  await dialog.getByRole("button", { name: "Confirm approve" }).click()
  await expect(ada.getByRole("status").filter({ hasText: "Can't be undone" })).toContainText("Approved")
  await dora.goto("/record?operation=freeze")
  const entries = dora.getByRole("main").getByRole("listitem")
  await expect(entries.filter({ hasText: "Dora Lind" })).toHaveCount(2)
  for (const page of [ada, ben, dora]) await page.close()
})
