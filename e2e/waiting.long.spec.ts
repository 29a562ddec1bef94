/** Seconds from an approval's arrival in the service until the menu counts the approval, in a real browser at the service's default quota. */
import type { Page } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import { addApproval, addQuietWorks } from "./revise.ts"
import { badgeOf } from "./waiting-tabs.ts"

const QUOTA = 600

test.use({ deskOptions: { service: { limits: { readPerMinute: QUOTA, activeWork: 10_000 } } } })
test.setTimeout(600_000)

/** Keeps the moment at which the badge first showed each count or a greater one. */
async function watchCounts(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const moments: number[] = []
    Object.assign(globalThis, { moments })
    const look = () => {
      const link = [...document.querySelectorAll("nav a")].find((each) => each.textContent.startsWith("Approvals"))
      const count = Number(/\d+/.exec(link?.textContent ?? "")?.[0] ?? 0)
      while (moments.length < count) moments.push(Date.now())
      requestAnimationFrame(look)
    }
    look()
  })
  return () => page.evaluate(() => Reflect.get(globalThis, "moments") as number[])
}

/** Prints a row of docs/benchmarks.md. */
function report(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((one, other) => one - other).map((ms) => ms / 1_000)
  const [median = 0, greatest = Number.NaN] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
  console.log(`| ${what} | ${sorted.length} | ${median.toFixed(1)} | ${greatest.toFixed(1)} |`)
}

test("an approval whose Work changed its version is soon on the screen with 100 open Works", async ({ page, desk }) => {
  const ids = addQuietWorks(desk, 100)
  await page.goto("/approvals")
  await expect(page.getByText("100 of 100 checked")).toBeVisible({ timeout: 60_000 })
  const moments = await watchCounts(page)
  const times: number[] = []
  for (let round = 0; round < 15; round++) {
    // The count has just changed, so the list was read a moment ago. That is the worst moment for an approval to come.
    const came = Date.now()
    addApproval(desk, ids[(round * 7) % ids.length] ?? "")
    await expect(badgeOf(page)).toHaveText(`Approvals ${round + 1}`)
    times.push(((await moments())[round] ?? Number.NaN) - came)
  }
  report("100 open Works, a new version", times)
})

for (const [count, seconds] of [
  [10, 60],
  [100, 60],
  [500, 180],
] as const) {
  test(`an approval that nothing hints at comes to the screen with ${count} open Works`, async ({ page, desk }) => {
    const ids = addQuietWorks(desk, count)
    await page.goto("/approvals")
    await expect(page.getByText(`${count} of ${count} checked`)).toBeVisible({ timeout: 120_000 })
    const moments = await watchCounts(page)
    const came = Date.now()
    const chosen = ids.filter((_, index) => index % Math.ceil(count / 10) === 0)
    for (const id of chosen) addApproval(desk, id, {}, false)
    await expect(badgeOf(page)).toHaveText(`Approvals ${chosen.length}`, { timeout: seconds * 1_000 })
    const times = (await moments()).map((moment) => moment - came)
    report(`${count} open Works, no hint`, times)
  })
}
