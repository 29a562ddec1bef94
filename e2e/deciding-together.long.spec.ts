import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "@playwright/test"
import { verify } from "../src/desk/record/chain-verification.ts"
import { readEntries } from "../src/desk/record/entries.ts"
import { FROM_THE_END } from "../src/desk/record/record-query.ts"
import { openDatabaseForReading } from "../src/desk/store/open-store.ts"
import { expect, test } from "./fixtures.ts"
import { approvalOf, RESOLVE } from "./inbox-verbs.ts"
import { askAsPerson, changeAccess, everybodyMay, lock, openAs, signInAs, signOut } from "./people-verbs.ts"
import { startProgram } from "./program.ts"
import type { Desk } from "./start-desk.ts"
import { addAlike, askTogether, boxOf, openTogether, progressOf, readTogether, saidOf } from "./together-verbs.ts"

/*
 * What breaks in the middle of letters that are decided together: each is decided at most once, and nothing is sent by itself.
 */

const REST = "The rest was not sent and stays chosen."
const idsOf = (desk: Desk) =>
  (desk.relay?.mutations() ?? [])
    .filter(({ path }) => RESOLVE.test(path))
    .map(({ path }) => path.split("/").at(-2) ?? "")
const sorted = (ids: readonly string[]) => [...ids].sort()
const statusesOf = (desk: Desk, workId: string, ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await approvalOf(desk, workId, id))?.status))
const confirm = (page: Page) => page.getByRole("dialog").getByRole("button", { name: /^Confirm / })

test("a desk that is killed in the middle leaves one unknown outcome, and the rest goes on at the new desk", async ({
  page,
  desk,
  relay,
  complaints,
}) => {
  const { workId, ids } = await addAlike(desk, 9)
  const folder = await mkdtemp(join(tmpdir(), "workdesk-"))
  const environment = {
    WORK_API_URL: relay.url,
    WORK_API_TOKEN: desk.token,
    DATA_DIR: folder,
    COLLEAGUES: "courier=Courier",
  }
  const first = await startProgram("src/server.ts", { ...environment, PORT: "0" })
  await page.goto(`${first.url}/approvals`)
  await openTogether(page, 9)
  await askTogether(page, "Approve", 9)
  relay.fail("POST", new RegExp(`${ids[2]}/resolve$`), { kind: "hold" }, 1)
  await confirm(page).click()
  await expect(saidOf(page, 2)).toContainText("Approving")
  await expect.poll(() => relay.mutations().length).toBe(3)
  await first.stop("SIGKILL")
  relay.release()
  await expect(progressOf(page)).toHaveText(`The desk or the service can't be reached. ${REST}`)
  for (const index of [2, 3, 4]) await expect(saidOf(page, index)).toContainText("may or may not have been recorded")
  for (const index of [5, 6, 7, 8]) await expect(boxOf(page, index)).toBeChecked()

  const second = await startProgram("src/server.ts", { ...environment, PORT: new URL(first.url).port })
  await expect(saidOf(page, 2)).toContainText("may or may not have been recorded")
  await page.getByRole("button", { name: "Approve 4…" }).click()
  await confirm(page).click()
  for (const index of [5, 8]) await expect(saidOf(page, index)).toContainText("Approved")
  // Two never arrived. The person sends them again, each from its own card.
  expect(await statusesOf(desk, workId, ids)).toEqual(
    ids.map((_, index) => (index === 3 || index === 4 ? "pending" : "approved")),
  )
  for (const id of [ids[2], ids[3], ids[4]]) {
    await page.goto(`${first.url}/approvals?item=${id}&work=${workId}`)
    await page.getByRole("button", { name: "Send again" }).click()
    await expect.poll(async () => (await approvalOf(desk, workId, id ?? ""))?.status).toBe("approved")
  }
  expect(await statusesOf(desk, workId, ids)).toEqual(ids.map(() => "approved"))
  expect(new Set(relay.mutations().map(({ key }) => key)).size, "one key for each letter").toBe(9)
  await second.stop()
  const database = await openDatabaseForReading({ dataFolder: folder, databaseUrl: undefined })
  expect((await verify(database)).faults).toEqual([])
  const { entries } = await readEntries(database, {}, FROM_THE_END, 100)
  await database.close()
  const decided = entries.filter(({ outcome }) => outcome === "recorded")
  expect(new Set(decided.map((entry) => entry.item_id)).size).toBe(9)
  await rm(folder, { recursive: true })
  complaints.splice(0)
})

test("a tab that ends in the middle sends nothing more, and what had left is unknown to the next", async ({
  page,
  context,
  desk,
  relay,
}) => {
  const { ids } = await addAlike(desk, 5)
  const next = await context.newPage()
  await openTogether(next, 5)
  await page.bringToFront()
  await openTogether(page, 5)
  await askTogether(page, "Approve", 5)
  relay.fail("POST", new RegExp(`${ids[1]}/resolve$`), { kind: "hold" }, 1)
  await confirm(page).click()
  await expect(saidOf(page, 1)).toContainText("Approving")
  await expect(saidOf(next, 1)).toContainText("Approving")
  await page.close()
  await expect(saidOf(next, 1)).toContainText("may or may not have been recorded")
  relay.release()
  await readTogether(next)
  await next.getByRole("button", { name: "Choose all that are seen" }).click()
  await expect(next.getByRole("button", { name: "Approve 3…" })).toBeVisible()
  await next.reload()
  await expect(next.getByRole("button", { name: "Approve…" })).toBeVisible()
  expect(idsOf(desk)).toEqual([ids[0], ids[1]])
})

test("two tabs of one person at the same letters decide each of them once", async ({ page, context, desk }) => {
  const { workId, ids } = await addAlike(desk, 12)
  const other = await context.newPage()
  for (const each of [page, other]) {
    await each.bringToFront()
    await openTogether(each, 12)
    await askTogether(each, "Approve", 12)
  }
  for (const each of [page, other]) await expect(confirm(each)).toBeEnabled()
  // If the other tab was faster, an ordinary click would wait for ever.
  await Promise.all([page, other].map((each) => confirm(each).dispatchEvent("click")))
  await expect.poll(() => statusesOf(desk, workId, ids), { timeout: 30_000 }).toEqual(ids.map(() => "approved"))
  for (const each of [page, other])
    await expect(each.getByRole("group", { name: "Decide together" })).not.toContainText(/Approving/)
  expect(sorted(idsOf(desk))).toEqual(sorted(ids))
})

test("after 429 with Retry-After, what was refused can be chosen again once the wait is over", async ({
  page,
  desk,
  relay,
}) => {
  await addAlike(desk, 5)
  await openTogether(page, 5)
  await askTogether(page, "Approve", 5)
  const refuse = { kind: "refuse", status: 429, code: "RATE_LIMITED", headers: { "retry-after": "3" } } as const
  relay.fail("POST", RESOLVE, refuse, 3)
  await confirm(page).click()
  await expect(progressOf(page)).toHaveText(`Too many requests in a short time. ${REST}`)
  await expect(boxOf(page, 0)).toBeDisabled()
  await expect(boxOf(page, 0)).toBeEnabled()
  await page.getByRole("button", { name: "Choose all that are seen" }).click()
  await page.getByRole("button", { name: "Approve 5…" }).click()
  await confirm(page).click()
  for (const index of [0, 4]) await expect(saidOf(page, index)).toContainText("Approved")
})

test.describe("where people sign in", () => {
  test.use({ deskOptions: { people: true } })

  test("a sign-out in the middle stops the rest, which the same person sends after the next sign-in", async ({
    page,
    context,
    desk,
    relay,
  }) => {
    await changeAccess(desk, everybodyMay)
    const { ids } = await addAlike(desk, 6)
    await signInAs(page, "Ada Lovelace", "/approvals")
    const other = await context.newPage()
    await other.goto("/work")
    await openTogether(page, 6)
    await askTogether(page, "Approve", 6)
    relay.fail("POST", new RegExp(`${ids[0]}/resolve$`), { kind: "hold" }, 1)
    await confirm(page).click()
    await expect(saidOf(page, 0)).toContainText("Approving")
    await signOut(other, "Ada Lovelace")
    await expect(lock(page)).toBeVisible()
    relay.release()
    await expect(progressOf(page)).toHaveText(`Your session has ended. ${REST}`)
    await signInAs(other, "Ada Lovelace", "/work")
    await expect(lock(page)).toBeHidden()
    expect(idsOf(desk)).toEqual([ids[0]])
    await page.bringToFront()
    await readTogether(page)
    await page.getByRole("button", { name: "Choose all that are seen" }).click()
    await page.getByRole("button", { name: "Approve 5…" }).click()
    await confirm(page).click()
    for (const index of [1, 5]) await expect(saidOf(page, index)).toContainText("Approved")
    expect(sorted(idsOf(desk))).toEqual(sorted(ids))
  })

  test("a freeze in the middle stops the rest, which stays chosen until it ends", async ({
    page,
    browser,
    desk,
    relay,
  }) => {
    await changeAccess(desk, everybodyMay)
    const { ids } = await addAlike(desk, 4)
    await signInAs(page, "Ada Lovelace", "/approvals")
    const dora = await openAs(browser, desk, "Dora Lind", "/work")
    await openTogether(page, 4)
    await askTogether(page, "Approve", 4)
    relay.fail("POST", new RegExp(`${ids[0]}/resolve$`), { kind: "hold" }, 1)
    await confirm(page).click()
    await expect(saidOf(page, 0)).toContainText("Approving")
    await askAsPerson(dora, "PUT", "/desk/freeze", { colleague: null, reason: "It sends in a loop" })
    await expect(page.getByRole("main")).toContainText("Dora Lind has frozen this desk")
    relay.release()
    await expect(progressOf(page)).toHaveText(new RegExp(`^Dora Lind has frozen this desk\\..*${REST}$`))
    await expect(boxOf(page, 3)).toBeChecked()
    expect(idsOf(desk)).toEqual([ids[0]])
    await askAsPerson(dora, "DELETE", "/desk/freeze")
    await page.getByRole("button", { name: "Approve 3…" }).click()
    await confirm(page).click()
    for (const index of [1, 3]) await expect(saidOf(page, index)).toContainText("Approved")
  })

  test("two people at the same letters decide each of them once, and each reads what the other did", async ({
    page,
    browser,
    desk,
  }) => {
    await changeAccess(desk, everybodyMay)
    const { workId, ids } = await addAlike(desk, 12)
    await signInAs(page, "Ada Lovelace", "/approvals")
    const emil = await openAs(browser, desk, "Emil Berg", "/approvals")
    for (const each of [page, emil]) {
      await openTogether(each, 12)
      await askTogether(each, "Approve", 12)
    }
    for (const each of [page, emil]) await expect(confirm(each)).toBeEnabled()
    // If the other person was faster, an ordinary click would wait for ever.
    await Promise.all([page, emil].map((each) => confirm(each).dispatchEvent("click")))
    await expect.poll(() => statusesOf(desk, workId, ids), { timeout: 30_000 }).toEqual(ids.map(() => "approved"))
    for (let index = 0; index < 12; index++) {
      const words = await Promise.all(
        [page, emil].map(async (each) => {
          await expect(saidOf(each, index)).toContainText(/Approved|decided elsewhere|No longer pending/)
          return saidOf(each, index).innerText()
        }),
      )
      expect(
        words.filter((each) => each.includes("Approved")),
        words.join(" | "),
      ).toHaveLength(1)
    }
    const confirmed = desk.relay?.mutations().filter(({ status }) => status === 200) ?? []
    expect(sorted(confirmed.map(({ path }) => path.split("/").at(-2) ?? ""))).toEqual(sorted(ids))
  })
})
