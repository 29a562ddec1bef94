/**
 * The Overview of 0, 5, 45 and 5,000 open Works beside an independent count of what the API answers. `PICTURES=folder` keeps pictures.
 */
import { expect, type Page, test } from "@playwright/test"
import { gathered, readAll, withDesk } from "./many-works-desk.ts"

const DAY = 86_400_000

test.describe.configure({ timeout: 400_000 })

/** The figure's numbers as its table says them: the rows by their first cell. */
async function tableOf(page: Page, name: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const figure = page.getByRole("figure", { name })
  await figure.getByRole("button", { name: "Show as table" }).click()
  const rows = await figure
    .locator("tbody tr")
    .evaluateAll((trs) => trs.map((tr) => Array.from(tr.children, (cell) => cell.textContent ?? "")))
  return new Map(rows.map(([first = "", ...others], index) => [name === "What waits" ? String(index) : first, others]))
}

/** The day of a moment in the page's time zone, as `2026-11-21`. */
const dayOf = (moment: number) => new Intl.DateTimeFormat("sv", { timeZone: "Europe/Madrid" }).format(moment)

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env["PICTURES"]
  if (folder === undefined) return
  for (const [size, viewport] of [
    ["desk", { width: 1440, height: 900 }],
    ["phone", { width: 390, height: 844 }],
  ] as const) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      await page.screenshot({ path: `${folder}/${name}-${size}-${colorScheme}.png`, fullPage: true })
    }
  }
}

for (const [open, done] of [
  [0, 0],
  [5, 2],
  [45, 60],
  [5_000, 200],
] as const) {
  test(`the overview of ${open} open Works agrees with the API, while gathering and when complete`, async ({
    page,
  }) => {
    await withDesk(open, done, async (desk, upstream) => {
      const release = upstream.holdAfter(Math.floor(open * 0.6))
      await page.goto(`${desk.url}/overview`)
      const figure = (name: string) => page.getByRole("figure", { name })
      if (open > 0) {
        // The upstream also counts the reads of done Work, which has a share of its own, so the number is not known exactly.
        await expect(page.getByText(new RegExp(`^\\d+ of ${open} checked$`))).toBeVisible({ timeout: 200_000 })
        await expect(figure("What waits")).toHaveAccessibleDescription(/so far|Nothing found yet/)
        await picture(page, `${open}-gathering`)
      }
      release()
      await gathered(desk)
      await page.reload()
      await expect(figure("What waits")).toBeVisible()
      const api = await readAll(upstream)
      await picture(page, `${open}-complete`)

      const questions = api.questions
      if (open > 0) {
        await expect(page.getByText(`All ${open} checked`)).toBeVisible()
        await expect(figure("What waits")).toHaveAccessibleDescription(
          new RegExp(`^${questions} questions? and ${api.waiting.length - questions} approvals?`),
        )
        // More than thirty are counted in bars.
        const marks = figure("What waits").getByRole("link")
        if (api.waiting.length <= 30) await expect(marks).toHaveCount(api.waiting.length)
        else {
          await expect(marks).toHaveCount(0)
          const counts = await figure("What waits").locator("svg g > rect + text").allTextContents()
          const sum = counts.reduce((total, count) => total + Number(count.replaceAll(",", "")), 0)
          expect(sum).toBe(api.waiting.length)
        }
      } else await expect(page.getByText("Nothing needs you.")).toBeVisible()

      const waits = await tableOf(page, "What waits")
      const titles = api.waiting
        .toSorted((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at))
        .map((item) => ("title" in item ? item.title : item.summary))
      expect([...waits.values()]).toHaveLength(titles.length)
      const first = titles[0]
      if (first !== undefined) await expect(page.getByText(/^Longest waiting:/)).toContainText(first)

      const due = await tableOf(page, "Due")
      const now = Date.now()
      const dues = api.open.flatMap(({ due_at: at }) => (at === undefined ? [] : Date.parse(at)))
      expect(due.get("Overdue in total")).toEqual([String(dues.filter((at) => at < now).length)])
      expect(due.get("Today")).toEqual([String(dues.filter((at) => dayOf(at) === dayOf(now)).length)])
      expect(due.get("Without a date")).toEqual([String(open - dues.length)])
      const [firstDay, lastDay] = [dayOf(now - 7 * DAY), dayOf(now + 14 * DAY)]
      expect(due.get("Earlier")).toEqual([String(dues.filter((at) => dayOf(at) < firstDay).length)])
      expect(due.get("Later")).toEqual([String(dues.filter((at) => dayOf(at) > lastDay).length)])

      const colleagues = await tableOf(page, "Colleagues")
      for (const [id, cells] of colleagues) {
        const own = api.works.filter((work) => work.colleague_id === id)
        const count = (status: string) => String(own.filter((work) => work.status === status).length)
        const days = Array.from({ length: 14 }, (_, index) => dayOf(now - (13 - index) * DAY))
        const created = days.map((day) => {
          const ofDay = own.filter((work) => dayOf(Date.parse(work.created_at)) === day)
          return `${ofDay.length} (${ofDay.filter(({ status }) => status === "done").length})`
        })
        expect(cells, id).toEqual([count("needs_you"), count("working"), count("paused"), ...created])
      }
      expect(colleagues.size).toBe(new Set(api.open.map((work) => work.colleague_id)).size)
    })
  })
}
