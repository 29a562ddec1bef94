import type { Page } from "@playwright/test"
import { expect, expectAccessibleInLightAndDark, test } from "./fixtures.ts"
import { RESOLVE, SUMMARY, approvalOf, createQuietWork, openApproval, openItem, openForOthers } from "./inbox-verbs.ts"
import { arrived, choose, colleagueChoice, create, file, fill, row } from "./new-work-verbs.ts"
import { changeAccess, objective, signInAs } from "./people-verbs.ts"
import { addApproval, releaseUpload, revise } from "./revise.ts"

const WANTED = "Address it to Ana.\nLeave out the prices."

const askButton = (page: Page) => page.getByRole("button", { name: "Ask for a change", exact: true })
const wanted = (page: Page) => page.getByRole("textbox", { name: "What should be different?" })
const confirm = (page: Page) => page.getByRole("button", { name: "Confirm decline and ask for a change" })
const again = (page: Page) => page.getByRole("link", { name: "Delegate again with this change" })

/** Presses `Ask for a change`, types what should be different, and confirms. */
async function askForChange(page: Page): Promise<void> {
  await askButton(page).click()
  await wanted(page).fill(WANTED)
  await confirm(page).click()
}

test("a change is asked for once through a 412, a reload and a lost answer, and the Work is delegated again", async ({
  page,
  desk,
  relay,
}) => {
  await fill(page, "rate=0.1", "metronome")
  await choose(page, file("orders.csv", "city,amount\nParis,3\n"))
  await page.getByLabel("Title").fill("Renewal letter")
  await create(page).click()
  await arrived(page)
  const workId = new URL(page.url()).pathname.replace("/work/", "")
  const id = addApproval(desk, workId)
  await openItem(page, "/approvals", SUMMARY)
  await askButton(page).click()
  await expectAccessibleInLightAndDark(page)
  await expect(confirm(page)).toHaveAccessibleDescription("Write what should be different.")
  await wanted(page).fill("x".repeat(2_001))
  await expect(confirm(page)).toHaveAccessibleDescription(/1 character/)
  await wanted(page).fill(WANTED)
  revise(desk, "approval", id, { subject: "A newer subject" })
  await confirm(page).click()
  await expect(page.getByRole("alert")).toContainText("What you typed is kept")

  await page.reload()
  relay.fail("POST", RESOLVE, { kind: "lose-answer" }, 1)
  await askButton(page).click()
  await expect(wanted(page)).toHaveValue(WANTED)
  await confirm(page).click()
  await page.getByRole("button", { name: "Send again" }).click()
  const card = page.getByRole("article")
  await expect(card).toContainText("Declined at this desk")
  await expect(card).toContainText("What should be different")
  expect(await approvalOf(desk, workId, id)).toMatchObject({ status: "declined", resolution_comment: WANTED })
  const [, first, second, ...more] = relay.mutations().filter(({ path }) => RESOLVE.test(path))
  expect([second?.key, second?.body, more]).toEqual([first?.key, first?.body, []])
  const answer = await page.request.get(`/desk/record?item=${id}`)
  const { data } = (await answer.json()) as { data: readonly { wants_change?: true; outcome: string }[] }
  expect(data.map((entry) => [entry.wants_change, entry.outcome])).toEqual([
    [true, "recorded"],
    [true, "recorded"],
    [true, "refused"],
  ])

  const sent = relay.mutations().length
  await again(page).click()
  await expect(objective(page)).toHaveValue(
    "rate=0.1\n\nWhat should be different:\n> Address it to Ana.\n> Leave out the prices.",
  )
  await expect(page.getByLabel("Title")).toHaveValue("Renewal letter")
  await expect(colleagueChoice(page, "metronome")).toBeChecked()
  await page.reload()
  await expect(page.getByRole("main")).toContainText("This file can't be reused: orders.csv.")
  await expectAccessibleInLightAndDark(page)
  expect(relay.mutations()).toHaveLength(sent)
  relay.fail("POST", /\/work$/, { kind: "lose-answer" }, 1)
  await create(page).click()
  await page.getByRole("button", { name: "Send again" }).click()
  await arrived(page)

  await expect(page.getByRole("main")).toContainText("Replaces Renewal letter")
  await page.getByRole("main").getByRole("link", { name: "Renewal letter", exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`${workId}$`))
  await expect(page.getByRole("main")).toContainText("Replaced by Renewal letter")
  await expect(again(page)).toBeVisible()
  await page.goto("/record")
  await expect(page.getByText("declined and asked for a change").first()).toBeVisible()
})

test("what was typed, and a request that has not arrived, are there again after their tab was closed", async ({
  page,
  context,
  desk,
  relay,
}) => {
  const { id, workId } = await openApproval(page, desk)
  await askButton(page).click()
  await wanted(page).fill(WANTED)
  await page.close()

  const second = await context.newPage()
  await openItem(second, "/approvals", SUMMARY)
  await askButton(second).click()
  await expect(wanted(second)).toHaveValue(WANTED)
  expect(relay.mutations()).toEqual([])
  relay.fail("POST", RESOLVE, { kind: "cut" }, 1)
  await confirm(second).click()
  await expect(second.getByRole("button", { name: "Send again" })).toBeVisible()
  await second.close()

  const third = await context.newPage()
  await third.goto(`/work/${workId}`)
  await third.getByRole("button", { name: "Send again" }).click()
  await expect(third.getByRole("region", { name: "Approvals" })).toContainText("What should be different")
  const [first, again, ...more] = relay.mutations()
  expect([again?.key, again?.body, more]).toEqual([first?.key, first?.body, []])
  expect(await approvalOf(desk, workId, id)).toMatchObject({ status: "declined", resolution_comment: WANTED })
})

test("the letter of the Work that was delegated again is compared with the declined letter, in any browser", async ({
  page,
  browser,
  desk,
}) => {
  await openApproval(page, desk)
  await askForChange(page)
  await again(page).click()
  await create(page).click()
  await arrived(page)
  const successor = new URL(page.url()).pathname.replace("/work/", "")
  const body = "Dear Ana,\n\nour framework agreement FA-2291 ends on 31 March."
  addApproval(desk, successor, { summary: "Send it to Ana", body })

  const other = await browser.newPage({ baseURL: desk.url })
  await openItem(other, "/approvals", "Send it to Ana")
  const compare = other.getByRole("article").getByRole("button", { name: "Compare with the declined letter" })
  await compare.press("Enter")
  const dialog = other.getByRole("dialog", { name: "Compare with the declined letter" })
  await expect(dialog.getByRole("blockquote")).toHaveText(WANTED)
  await expect(dialog.getByRole("region", { name: "Text, declined" }).getByRole("deletion")).toHaveText([
    "Ms Oyelaran",
    "December",
  ])
  await expect(dialog.getByRole("region", { name: "Text, this letter" }).getByRole("insertion")).toHaveText([
    "Ana",
    "March",
  ])
  // What changed stands in its line, and what both letters have stands once.
  await expect(dialog.getByRole("region", { name: "Text, this letter" })).toHaveJSProperty("innerText", `Text\n${body}`)
  await expect(dialog.getByRole("region", { name: "Subject, same in both letters" })).toHaveCount(1)
  await expect(dialog.getByRole("region", { name: "Subject, this letter" })).toHaveCount(0)
  await expectAccessibleInLightAndDark(other)
  await other.setViewportSize({ width: 390, height: 844 })
  expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  await expectAccessibleInLightAndDark(other)
  await other.keyboard.press("Escape")
  await expect(compare).toBeFocused()
  await other.close()
})

test("a file that can be used again is attached to the Work that is delegated again", async ({ page, desk }) => {
  await fill(page, "rate=0.1", "metronome")
  await choose(page, file("orders.csv", "city,amount\nParis,3\n"), file("lost.csv", "city,amount\nRome,4\n"))
  await create(page).click()
  await arrived(page)
  const workId = new URL(page.url()).pathname.replace("/work/", "")
  addApproval(desk, workId)
  await openItem(page, "/approvals", SUMMARY)
  await askForChange(page)
  releaseUpload(desk, "orders.csv")
  await again(page).click()
  await expect(page.getByRole("main")).toContainText("This file can't be reused: lost.csv.")
  await expect(row(page, "orders.csv")).toContainText("Ready")
  await create(page).click()
  await arrived(page)
  const { inputs } = (await (
    await page.request.get(page.url().replace("/work/", "/desk/work/") + "/inputs")
  ).json()) as {
    inputs: readonly { name: string }[]
  }
  expect(inputs.map(({ name }) => name)).toEqual(["orders.csv"])
})

test.describe("where people sign in", () => {
  test.use({ deskOptions: { people: true } })

  test("the approver who may not delegate has no button, and the delegator finds it on the Work's page", async ({
    page,
    desk,
  }) => {
    await changeAccess(desk, () => ({ rules: [{ destination: "*", approvalsNeeded: 2, approvers: ["group:nobody"] }] }))
    const { id: workId } = await createQuietWork(desk)
    const id = addApproval(desk, workId)
    await signInAs(page, "Ada Lovelace", "/approvals")
    await openForOthers(page, SUMMARY)
    await askForChange(page)
    await expect(page.getByRole("article")).toContainText("Declined by Ada Lovelace")
    await expect(page.getByRole("article")).toContainText("What should be different")
    await expect(again(page)).toHaveCount(0)
    expect(await approvalOf(desk, workId, id)).toMatchObject({ status: "declined", resolution_comment: WANTED })
    await page.context().clearCookies()
    await signInAs(page, "Ben Okafor", `/work/${workId}`)
    await again(page).click()
    await expect(objective(page)).toHaveValue(/> Leave out the prices\.$/)
    await expect(page.getByRole("main")).toContainText("The desk doesn't know which files the replaced Work had.")
    await create(page).click()
    await arrived(page)
    await expect(page.getByRole("main")).toContainText("Replaces Renewal letter to Halden Logistics")
  })
})
