import type { Page, Route } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import { createQuietWork, decide, QUESTION, RESOLVE } from "./inbox-verbs.ts"
import { changeAccess, everybodyMay, openAs, signInAs } from "./people-verbs.ts"
import { addApproval, addAttention, revise } from "./revise.ts"

/* A late answer doesn't disturb what the person has turned to since, and a request is about the version that they saw. */

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })
const dialog = (page: Page, name: string) => page.getByRole("dialog", { name })
const row = (page: Page, name: string) => page.getByRole("main").getByRole("link", { name })
const heading = (page: Page, name: string) => page.getByRole("main").getByRole("heading", { name })

/** Holds each request for `address` until `release` is called. `bodies` has the bodies of the requests so far. */
async function hold(page: Page, address: string | RegExp) {
  const held = Promise.withResolvers<void>()
  const bodies: string[] = []
  await page.route(address, async (route: Route) => {
    bodies.push(route.request().postData() ?? "")
    await held.promise
    await route.continue()
  })
  return { release: held.resolve, bodies }
}

test("a late answer to Set aside doesn't disturb the item and the dialog that the person has opened since", async ({
  page,
  desk,
}) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "The first request" })
  addApproval(desk, work.id, { summary: "The second request" })
  addApproval(desk, work.id, { summary: "The third request" })
  await page.goto("/approvals")
  await row(page, "The third request").click()
  await row(page, "The first request").click()
  await expect(heading(page, "The first request")).toBeVisible()
  const { release, bodies } = await hold(page, "**/desk/aside")
  await button(page, "Set aside").click()
  await button(page, "In an hour").click()
  await expect.poll(() => bodies.length).toBe(1)
  await page.goBack()
  await expect(heading(page, "The third request")).toBeVisible()
  await button(page, "Decline").click()
  const comment = page.getByRole("textbox", { name: "Comment" })
  await comment.fill("Not this one")
  const answered = page.waitForResponse("**/desk/aside")
  release()
  await answered
  await expect(row(page, "The first request")).toHaveCount(0)
  await expect(comment).toHaveValue("Not this one")
  await page.keyboard.press("Escape")
  await expect(heading(page, "The third request")).toBeVisible()
})

test("Set aside is about the version that the person reads", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  const id = addApproval(desk, work.id, { summary: "The first request" })
  await page.goto("/approvals")
  await row(page, "The first request").click()
  await expect(button(page, "Decline")).toBeEnabled()
  revise(desk, "approval", id, { subject: "Another subject" })
  await expect(button(page, "Show version 2")).toBeVisible({ timeout: 40_000 })
  await button(page, "Set aside").click()
  await button(page, "In an hour").click()
  await expect(dialog(page, "Set aside").getByRole("alert")).toBeVisible()
  await button(page, "Cancel").click()
  await button(page, "Show version 2").click()
  await button(page, "Set aside").click()
  await button(page, "In an hour").click()
  await expect(page.getByText("Set aside (1)")).toBeVisible()
})

test("a decision that was refused here and confirmed in another tab doesn't open the next item", async ({
  page,
  desk,
  relay,
}) => {
  const work = await createQuietWork(desk)
  const id = addApproval(desk, work.id, { summary: "The first request" })
  addApproval(desk, work.id, { summary: "The second request" })
  await page.goto(`/approvals?item=${id}`)
  relay.fail("POST", RESOLVE, { kind: "refuse", status: 403, code: "PROXY_RULE" }, 1)
  await decide(page, "approve")
  await expect(page.getByRole("alert")).toContainText("req_relay_403")
  const other = await page.context().newPage()
  await other.goto(`/approvals?item=${id}`)
  await other.getByRole("alert").getByRole("button", { name: "Try again" }).click()
  await decide(other, "approve")
  await expect(heading(other, "The second request")).toBeVisible()
  await expect(page.getByRole("article").first()).toContainText("Approved")
  await expect(page).toHaveURL(new RegExp(`item=${id}`))
  await expect(heading(page, "The second request")).toHaveCount(0)
})

test("the selected option of the palette stays selected when another item appears", async ({ page, desk }) => {
  const work = await createQuietWork(desk, "Letters to suppliers")
  addApproval(desk, work.id, { summary: "The letter to Halden" })
  await page.goto("/work")
  await expect(row(page, "Letters to suppliers")).toBeVisible()
  await page.keyboard.press("Control+k")
  await page.getByRole("combobox", { name: "Go to" }).fill("letter")
  const options = dialog(page, "Go to").getByRole("option")
  const chosen = dialog(page, "Go to").getByRole("option", { selected: true })
  // An approval stands there with the title of its Work, too.
  await expect(options.filter({ hasText: "Letters to suppliers" })).toHaveCount(2)
  await page.keyboard.press("ArrowDown")
  await expect(chosen).toHaveAccessibleName(/^Work\s*Letters to suppliers/)
  const place = await options.count()
  addApproval(desk, (await createQuietWork(desk, "Another Work")).id, { summary: "The letter to Kestrel" })
  await expect(options.filter({ hasText: "The letter to Kestrel" })).toBeVisible({ timeout: 40_000 })
  expect(await options.count()).toBeGreaterThan(place)
  await expect(chosen).toHaveAccessibleName(/^Work\s*Letters to suppliers/)
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL(new RegExp(`/work/${work.id}$`))
})

test.describe("with people", () => {
  test.use({ deskOptions: { people: true } })

  test("Hand to waits for its people with the focus, has no way out while it sends, and is about what was seen", async ({
    page,
    browser,
    desk,
  }) => {
    await changeAccess(desk, everybodyMay)
    const work = await createQuietWork(desk)
    addAttention(desk, work.id)
    await signInAs(page, "Ada Lovelace", "/needs-you")
    const other = await openAs(browser, desk, "Ben Okafor", "/needs-you")
    await openAs(browser, desk, "Cleo Martin", "/work")
    await row(page, QUESTION).click({ timeout: 20_000 })
    await row(other, QUESTION).click({ timeout: 20_000 })
    await expect(button(page, "Hand to")).toBeEnabled()

    const people = await hold(page, /\/desk\/people\?/)
    await button(page, "Hand to").click()
    const to = dialog(page, "Hand to").getByRole("combobox", { name: "To" })
    await expect.poll(() => people.bodies.length).toBe(1)
    await expect(to).toHaveCount(0)
    people.release()
    await expect(to).toBeFocused()

    // Ben takes it while Ada chooses.
    await button(other, "Take it").click()
    await expect(page.getByRole("article")).toContainText("Taken by Ben Okafor")
    await to.selectOption("Cleo Martin")
    await button(page, "Hand over").click()
    await expect(dialog(page, "Hand to").getByRole("alert")).toBeVisible()
    await expect(page.getByRole("article")).toContainText("Taken by Ben Okafor")
    await button(page, "Cancel").click()

    const { release, bodies } = await hold(page, "**/desk/assignment")
    await button(page, "Hand to").click()
    await to.selectOption("Cleo Martin")
    await button(page, "Hand over").click()
    await expect.poll(() => bodies.length).toBe(1)
    await expect(dialog(page, "Hand to").getByRole("status")).toHaveText("Sending. This can't be cancelled.")
    await page.keyboard.press("Escape")
    await expect(button(page, "Cancel")).toHaveAttribute("aria-disabled", "true")
    await button(page, "Cancel").click({ force: true })
    await expect(dialog(page, "Hand to")).toBeVisible()
    release()
    await expect(dialog(page, "Hand to")).toHaveCount(0)
    await expect(page.getByRole("article")).toContainText("Handed to Cleo Martin by Ada Lovelace")
  })

  test("an absence is called saved or ended only while it is", async ({ page, desk }) => {
    await changeAccess(desk, everybodyMay)
    await signInAs(page, "Ben Okafor", "/notices")
    const section = page.getByRole("region", { name: "Away" })
    const outcome = section.getByRole("status")
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 16)
    await section.getByLabel("Until").fill(inDays(3))
    await section.getByRole("button", { name: "Save" }).click()
    await expect(outcome).toHaveText("Saved")
    await section.getByLabel("Until").fill(inDays(4))
    await expect(outcome).toHaveText("")
    await section.getByRole("button", { name: "Save" }).click()
    await expect(outcome).toHaveText("Saved")
    await section.getByRole("button", { name: "End the absence" }).click()
    await expect(outcome).toHaveText("Ended")

    // Another tab sets one.
    const other = await page.context().newPage()
    await other.goto("/notices")
    const there = other.getByRole("region", { name: "Away" })
    await there.getByLabel("Until").fill(inDays(5))
    await there.getByRole("button", { name: "Save" }).click()
    await expect(there.getByRole("status")).toHaveText("Saved")
    await page.bringToFront()
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })))
    await expect(page.getByText("You are marked as away until")).toBeVisible()
    await expect(outcome).toHaveText("")
  })
})
