import type { Page } from "@playwright/test"
import type { RecordPage } from "../src/contract/desk-work.ts"
import { expect, test } from "./fixtures.ts"
import { approvalOf, RESOLVE } from "./inbox-verbs.ts"
import { askAsPerson, changeAccess, everybodyMay, openAs, signInAs } from "./people-verbs.ts"
import { revise } from "./revise.ts"
import {
  addAlike,
  askTogether,
  boxOf,
  openTogether,
  progressOf,
  readTogether,
  readToTheEndOf,
  rowOf,
  saidOf,
  toOf,
  waitForTwoApprovals,
} from "./together-verbs.ts"

const REST = "The rest was not sent and stays chosen."

test("letters are chosen, confirmed by keys and sent one after the other, each with its own key and version", async ({
  page,
  desk,
  relay,
}) => {
  const { workId, ids } = await addAlike(desk, 4)
  revise(desk, "approval", ids[2] ?? "", {})
  await openTogether(page, 4)
  await readTogether(page)
  await page.keyboard.press("a")
  await expect(progressOf(page)).toHaveText("Choose letters first.")
  await page.getByRole("button", { name: "Choose all that are seen" }).click()
  await boxOf(page, 1).click()
  await page.keyboard.press("a")
  const dialog = page.getByRole("dialog", { name: "Approve 3 letters" })
  await expect(dialog.getByRole("listitem")).toHaveText([toOf(0), toOf(2), toOf(3)].map((to) => new RegExp(to)))
  await expect(dialog.getByRole("button", { name: "Confirm approve" })).toBeFocused()
  await page.keyboard.press("Control+Enter")
  await expect(dialog.getByRole("button", { name: "Confirm approve" })).toBeEnabled()
  const asked: string[] = []
  page.on("request", (request) => request.url().includes("/desk/context") && asked.push(request.url()))
  await page.keyboard.press("Enter")
  for (const index of [0, 2, 3]) await expect(saidOf(page, index)).toContainText("Approved")
  await expect(saidOf(page, 1)).not.toContainText("Approved")
  expect(asked, "what was read of the letters is not read again after each decision").toEqual([])
  const sent = relay.mutations()
  expect(sent.map(({ path }) => path.split("/").at(-2))).toEqual([ids[0], ids[2], ids[3]])
  expect(sent.map(({ ifMatch }) => ifMatch)).toEqual(['"1"', '"2"', '"1"'])
  expect(new Set(sent.map(({ key }) => key)).size).toBe(3)
  expect(await approvalOf(desk, workId, ids[1] ?? "")).toMatchObject({ status: "pending" })

  const { data } = (await (await page.request.get("/desk/record")).json()) as RecordPage
  const together = data.flatMap((entry) => entry.together ?? [])
  expect([together.length, new Set(together).size]).toEqual([3, 1])
  await page.goto("/record")
  await expect(page.getByText(/approved with 2 others/).first()).toBeVisible()
})

test("the chord does nothing before half a second has passed, and says why", async ({ page, desk, relay }) => {
  await addAlike(desk, 2)
  await page.clock.install()
  await openTogether(page, 2)
  await readTogether(page)
  await page.getByRole("button", { name: "Choose all that are seen" }).click()
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000))
  await page.keyboard.press("d")
  const dialog = page.getByRole("dialog", { name: "Decline 2 letters" })
  await expect(dialog).toBeVisible()
  await page.clock.runFor(400)
  await page.keyboard.press("Control+Enter")
  await expect(dialog.getByRole("status").last()).toHaveText("This dialog has just opened")
  await page.clock.runFor(1_000)
  await page.keyboard.press("Control+Enter")
  await page.clock.resume()
  for (const index of [0, 1]) await expect(saidOf(page, index)).toContainText("Declined")
  expect(relay.mutations()).toHaveLength(2)
})

test("a long list has to be seen to its end, and one comment goes with every decision", async ({
  page,
  desk,
  relay,
}) => {
  await addAlike(desk, 24)
  // The window shows the field for the comment and the middle of the list never at once.
  await page.setViewportSize({ width: 1280, height: 500 })
  await openTogether(page, 24)
  const dialog = await askTogether(page, "Decline", 24)
  const confirm = dialog.getByRole("button", { name: "Confirm decline" })
  await page.keyboard.press("Control+Enter")
  await expect(dialog.getByRole("status").last()).toHaveText("Read the list to its end first")
  await expect(confirm).toBeDisabled()
  await page.keyboard.type("Paid already")
  await expect(dialog.getByRole("textbox", { name: "Comment" })).toHaveValue("Paid already")
  await expect(confirm).toBeDisabled()
  await page.keyboard.press("Escape")
  await page.getByRole("button", { name: "Decline 24…" }).click()
  await expect(dialog.getByRole("textbox", { name: "Comment" })).toHaveValue("Paid already")
  await readToTheEndOf(page, "dialog")
  await expect(confirm).toBeEnabled()
  await confirm.click()
  await expect(saidOf(page, 23)).toContainText("Declined")
  const bodies = relay.mutations().map(({ body }) => JSON.parse(body) as unknown)
  expect(bodies).toEqual(Array.from({ length: 24 }, () => ({ decision: "decline", comment: "Paid already" })))
})

test("a letter that changes while the dialog is open is not sent, and the dialog says so and waits again", async ({
  page,
  desk,
  relay,
}) => {
  const { ids } = await addAlike(desk, 3)
  await openTogether(page, 3)
  const dialog = await askTogether(page, "Approve", 3)
  revise(desk, "approval", ids[1] ?? "", { body: "Dear customer,\n\nplease pay 999,50 EUR by Friday." })
  await expect(dialog.getByRole("heading")).toHaveText("Approve 2 letters")
  await expect(dialog).toContainText("1 letter is no longer chosen.")
  await expect(dialog.getByRole("listitem").nth(1)).toContainText("No longer chosen. Version 2 has come")
  await dialog.getByRole("button", { name: "Confirm approve" }).click()
  await expect(saidOf(page, 2)).toContainText("Approved")
  await expect(saidOf(page, 1)).toContainText("No longer chosen. Version 2 has come")
  expect(relay.mutations().map(({ path }) => path.split("/").at(-2))).toEqual([ids[0], ids[2]])
})

test("a letter that changes between the click and its turn is not sent, after others were", async ({
  page,
  desk,
  relay,
}) => {
  const { ids } = await addAlike(desk, 5)
  await openTogether(page, 5)
  const dialog = await askTogether(page, "Approve", 5)
  relay.fail("POST", new RegExp(`${ids[2]}/resolve$`), { kind: "hold" })
  await dialog.getByRole("button", { name: "Confirm approve" }).click()
  await expect(saidOf(page, 2)).toContainText("Approving")
  await expect(saidOf(page, 3)).toContainText("Waiting")
  revise(desk, "approval", ids[3] ?? "", { body: "Dear customer,\n\nplease pay 999,50 EUR by Friday." })
  await expect(saidOf(page, 3)).toContainText("No longer chosen. Version 2 has come")
  relay.release()
  await expect(saidOf(page, 4)).toContainText("Approved")
  expect(relay.mutations().map(({ path }) => path.split("/").at(-2))).toEqual([ids[0], ids[1], ids[2], ids[4]])
})

test("a refusal of one stops no other, and says what it means", async ({ page, desk, relay }) => {
  const { ids } = await addAlike(desk, 7)
  await openTogether(page, 7)
  const dialog = await askTogether(page, "Approve", 7)
  const refusals = [
    [403, "FORBIDDEN", "doesn't allow this"],
    [404, "NOT_FOUND", "doesn't exist"],
    [409, "CONFLICT", "decided elsewhere"],
    [412, "VERSION_STALE", "changed after you opened it"],
    [422, "POLICY_BLOCKED", "data policy blocked it"],
    [429, "RATE_LIMITED", "Too many requests"],
  ] as const
  for (const [index, [status, code]] of refusals.entries())
    relay.fail("POST", new RegExp(`${ids[index]}/resolve$`), { kind: "refuse", status, code })
  await dialog.getByRole("button", { name: "Confirm approve" }).click()
  await expect(saidOf(page, 6)).toContainText("Approved")
  for (const [index, [, , words]] of refusals.entries()) await expect(saidOf(page, index)).toContainText(words)
})

test("three failures in a row from outside the letters stop the rest, which can be sent again", async ({
  page,
  desk,
  relay,
}) => {
  await addAlike(desk, 6)
  await openTogether(page, 6)
  const dialog = await askTogether(page, "Approve", 6)
  relay.fail("POST", RESOLVE, { kind: "refuse", status: 503, code: "NO_CAPACITY" }, 3)
  await dialog.getByRole("button", { name: "Confirm approve" }).click()
  await expect(progressOf(page)).toHaveText(`The desk or the service can't be reached. ${REST}`)
  for (const index of [3, 4, 5]) await expect(boxOf(page, index)).toBeChecked()
  for (const index of [0, 1, 2]) await expect(saidOf(page, index)).toContainText("at capacity")
  expect(relay.mutations()).toHaveLength(3)
  await page.getByRole("button", { name: "Choose all that are seen" }).click()
  await page.getByRole("button", { name: "Approve 6…" }).click()
  await dialog.getByRole("button", { name: "Confirm approve" }).click()
  for (const index of [0, 5]) await expect(saidOf(page, index)).toContainText("Approved")
  const keys = relay.mutations().map(({ key }) => key)
  expect(keys).toHaveLength(9)
  expect(keys.slice(3, 6), "a refused decision keeps its key").toEqual(keys.slice(0, 3))
})

test("Stop sends nothing more, and a decision whose answer was lost is not taken for a refusal", async ({
  page,
  desk,
  relay,
}) => {
  const { ids } = await addAlike(desk, 4)
  await openTogether(page, 4)
  const dialog = await askTogether(page, "Approve", 4)
  relay.fail("POST", new RegExp(`${ids[0]}/resolve$`), { kind: "lose-answer" })
  relay.fail("POST", new RegExp(`${ids[1]}/resolve$`), { kind: "hold" })
  await dialog.getByRole("button", { name: "Confirm approve" }).click()
  await expect(saidOf(page, 1)).toContainText("Approving")
  await page.getByRole("button", { name: "Stop" }).click()
  relay.release()
  await expect(progressOf(page)).toHaveText(`You stopped this. ${REST}`)
  await expect(saidOf(page, 0)).toContainText("The decision may or may not have been recorded.")
  await expect(boxOf(page, 0)).toBeDisabled()
  await expect(saidOf(page, 1)).toContainText("Approved")
  await expect(boxOf(page, 2)).toBeChecked()
  expect(relay.mutations()).toHaveLength(2)
})

test("a window that becomes narrow, and a page that is left, send nothing more", async ({ page, desk, relay }) => {
  const { ids } = await addAlike(desk, 4)
  await openTogether(page, 4)
  const dialog = await askTogether(page, "Approve", 4)
  relay.fail("POST", new RegExp(`${ids[0]}/resolve$`), { kind: "hold" })
  await dialog.getByRole("button", { name: "Confirm approve" }).click()
  await expect(saidOf(page, 0)).toContainText("Approving")
  await page.setViewportSize({ width: 500, height: 800 })
  await expect(page.getByText("Make the window wider to decide letters together.")).toBeVisible()
  relay.release()
  await expect.poll(async () => (await approvalOf(desk, work(page), ids[0] ?? ""))?.status).toBe("approved")
  await page.setViewportSize({ width: 1280, height: 720 })
  await expect(saidOf(page, 0)).toContainText("Approved")
  expect(relay.mutations()).toHaveLength(1)

  await page.getByRole("button", { name: "Approve 3…" }).click()
  relay.fail("POST", new RegExp(`${ids[1]}/resolve$`), { kind: "hold" })
  await dialog.getByRole("button", { name: "Confirm approve" }).click()
  await expect(saidOf(page, 1)).toContainText("Approving")
  await page.getByRole("link", { name: "Back to the list" }).click()
  relay.release()
  await expect(page.getByRole("link", { name: /^Remind customer 2 / })).toBeVisible()
  await expect(page.getByRole("link", { name: /^Remind customer [01] / })).toHaveCount(0)
  // A next letter would be sent in the next task.
  await page.evaluate(() => new Promise((resolve) => setTimeout(() => requestAnimationFrame(resolve))))
  expect(relay.mutations()).toHaveLength(2)
})

const work = (page: Page) => new URL(page.url()).searchParams.get("work") ?? ""

test.describe("with several people", () => {
  test.use({ deskOptions: { people: true } })

  test("what bars a letter stands in its row, and what another person does takes the choice away", async ({
    page,
    browser,
    desk,
    relay,
  }) => {
    await changeAccess(desk, () => ({
      ...everybodyMay(),
      rules: [
        { destination: toOf(0), approvalsNeeded: 2 },
        { destination: toOf(1), maxAuthenticationAgeSeconds: 86_400 },
      ],
    }))
    const { workId, ids } = await addAlike(desk, 6)
    await signInAs(page, "Ada Lovelace", "/approvals")
    const emil = await openAs(browser, desk, "Emil Berg", "/work")
    const dora = await openAs(browser, desk, "Dora Lind", "/work")
    await waitForTwoApprovals(page)
    await openTogether(page, 6)
    await readTogether(page)
    await expect(saidOf(page, 0)).toContainText("Needs 2 approvals")
    await expect(saidOf(page, 1)).toContainText("A rule asks for a fresh sign-in")
    await page.getByRole("button", { name: "Choose all that are seen" }).click()
    await expect(page.getByRole("button", { name: "Approve 4…" })).toBeVisible()

    const take = { work: workId, item: ids[2], to: { person: await idOf(emil) } }
    await askAsPerson(emil, "PUT", "/desk/assignment", take, { "if-match": '"none"' })
    await expect(saidOf(page, 2)).toContainText("No longer chosen. Taken by Emil Berg")
    const address = `/api/v1/work/${workId}/approvals/${ids[3]}/resolve`
    await askAsPerson(emil, "POST", address, { decision: "decline" }, { "if-match": '"1"' })
    await expect(saidOf(page, 3)).toContainText("No longer chosen. No longer pending")

    await page.getByRole("button", { name: "Approve 2…" }).click()
    const dialog = page.getByRole("dialog", { name: "Approve 2 letters" })
    await askAsPerson(dora, "PUT", "/desk/freeze", { colleague: "courier", reason: "It sends in a loop" })
    await expect(dialog).toContainText("has frozen the colleague courier")
    await expect(dialog.getByRole("button", { name: "Confirm approve" })).toBeDisabled()
    await page.keyboard.press("Escape")
    await expect(boxOf(page, 4)).toBeChecked()
    await askAsPerson(dora, "DELETE", "/desk/freeze?colleague=courier")
    await page.getByRole("button", { name: "Approve 2…" }).click()
    await dialog.getByRole("button", { name: "Confirm approve" }).click()
    for (const index of [4, 5]) await expect(saidOf(page, index)).toContainText("Approved")
    await expect(rowOf(page, 0).getByRole("checkbox")).toBeDisabled()
    expect(relay.mutations()).toHaveLength(3)
  })
})

const idOf = (page: Page): Promise<string> =>
  page.evaluate(async () => ((await (await fetch("/desk/session")).json()) as { person: { id: string } }).person.id)
