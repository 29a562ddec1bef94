/**
 * What the Overview and the list say of 0, 5, 45 and 5,000 open Works, beside an independent count of what the API answers. Prints how long
 * the list takes from the click to the rows; `PICTURES=folder` keeps pictures of the Overview.
 */
import { expect, type Page, test } from "@playwright/test"
import type { Approval, Attention, Work } from "../src/contract/resources.ts"
import { type ManyWorks, startManyWorks } from "./many-works.ts"
import { type Desk, startDesk } from "./start-desk.ts"

const DAY = 86_400_000
const RANK = ["urgent", "high", "normal", "low"]

test.describe.configure({ timeout: 400_000 })

async function withDesk(open: number, done: number, run: (desk: Desk, upstream: ManyWorks) => Promise<void>) {
  const upstream = await startManyWorks(open, done)
  const desk = await startDesk({ environment: { WORK_API_URL: upstream.url } })
  try {
    await run(desk, upstream)
  } finally {
    await desk.stop()
    upstream.stop()
  }
}

async function read<Body>(url: string): Promise<Body> {
  const response = await fetch(url)
  expect(response.status, url).toBe(200)
  return (await response.json()) as Body
}

/** Everything that the API has, read from the upstream and not through the desk. */
async function readAll({ url }: ManyWorks) {
  const works: Work[] = []
  for (let cursor: string | undefined = "0"; cursor !== undefined;) {
    const page: { data: Work[]; next_cursor?: string } = await read(`${url}/api/v1/work?limit=100&cursor=${cursor}`)
    works.push(...page.data)
    cursor = page.next_cursor
  }
  const open = works.filter(({ status }) => status !== "done")
  const items = <Item>(kind: string) =>
    Promise.all(open.map(({ id }) => read<{ data: Item[] }>(`${url}/api/v1/work/${id}/${kind}`)))
  const approvals = (await items<Approval>("approvals")).flatMap(({ data }) => data)
  const attention = (await items<Attention>("attention")).flatMap(({ data }) => data)
  return {
    works,
    open,
    waiting: [...attention, ...approvals.filter(({ status }) => status === "pending")],
    questions: attention.length,
  }
}

/** Waits until the desk has read all Work, and the done Work of the last weeks. */
async function gathered(desk: Desk): Promise<void> {
  await expect
    .poll(
      async () => {
        const overview = await read<{ complete: boolean; done_complete: boolean }>(`${desk.url}/desk/overview`)
        return overview.complete && overview.done_complete
      },
      { timeout: 300_000 },
    )
    .toBe(true)
}

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
        await expect(page.getByText(new RegExp(`^${Math.floor(open * 0.6)} of ${open} checked$`))).toBeVisible({
          timeout: 200_000,
        })
        await expect(figure("What waits")).toHaveAccessibleDescription(/so far|Nothing has been found yet/)
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
        await expect(page.getByText(`All ${open} open Works checked`)).toBeVisible()
        await expect(figure("What waits")).toHaveAccessibleDescription(
          new RegExp(`^${questions} clarifications? and ${api.waiting.length - questions} approvals?`),
        )
        await expect(figure("What waits").getByRole("link")).toHaveCount(api.waiting.length)
      } else await expect(page.getByText("Nothing is waiting for you.")).toBeVisible()

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
      expect(due.get("Overdue in all")).toEqual([String(dues.filter((at) => at < now).length)])
      expect(due.get("Today")).toEqual([String(dues.filter((at) => dayOf(at) === dayOf(now)).length)])
      expect(due.get("Without a date")).toEqual([String(open - dues.length)])
      const [firstDay, lastDay] = [dayOf(now - 7 * DAY), dayOf(now + 14 * DAY)]
      expect(due.get("Earlier than these days")).toEqual([String(dues.filter((at) => dayOf(at) < firstDay).length)])
      expect(due.get("Later than these days")).toEqual([String(dues.filter((at) => dayOf(at) > lastDay).length)])

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

/** Without letter case and accents, as a person compares words. */
const plain = (text: string) => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase()
const has = (work: Work, word: string) =>
  plain(`${work.title} ${work.objective} ${work.attention_question ?? ""}`).includes(word)
const dueIn = ({ due_at: at }: Work) => (at === undefined ? Number.NaN : Date.parse(at) - Date.now())

type Choice = {
  readonly choose: readonly [control: string, option: string]
  /** Which of the open Works are listed. */
  readonly matches?: (work: Work) => boolean
  /** Negative where `one` stands before `other`. */
  readonly order?: (one: Work, other: Work) => number
}

const choices: readonly Choice[] = [
  { choose: ["Sort", "Updated"], order: (one, other) => Date.parse(other.updated_at) - Date.parse(one.updated_at) },
  { choose: ["Sort", "Due"], order: (one, other) => (dueIn(one) || Infinity) - (dueIn(other) || Infinity) || 0 },
  { choose: ["Sort", "Priority"], order: (one, other) => RANK.indexOf(one.priority) - RANK.indexOf(other.priority) },
  { choose: ["Sort", "Waiting longest"] },
  { choose: ["Sort", "Newest"], order: (one, other) => Date.parse(other.created_at) - Date.parse(one.created_at) },
  { choose: ["Group", "Colleague"], order: (one, other) => (one.colleague_id < other.colleague_id ? -1 : 0) },
  { choose: ["Group", "Priority"], order: (one, other) => RANK.indexOf(one.priority) - RANK.indexOf(other.priority) },
  { choose: ["Group", "Due"] },
  { choose: ["Group", "None"] },
  { choose: ["Colleague", "editor"], matches: (work) => work.colleague_id === "editor" },
  { choose: ["Priority", "Urgent"], matches: (work) => work.priority === "urgent" },
  { choose: ["Due", "Overdue"], matches: (work) => dueIn(work) < 0 },
  { choose: ["Due", "Due this week"], matches: (work) => dueIn(work) >= 0 && dueIn(work) < 7 * DAY },
  { choose: ["Status", "Working"], matches: ({ status }) => status === "working" },
  { choose: ["Status", "Needs You"], matches: ({ status }) => status === "needs_you" },
  { choose: ["Status", "Paused"], matches: ({ status }) => status === "paused" },
  { choose: ["Find", "resume"], matches: (work) => has(work, "resume") },
  { choose: ["Find", "penguin 12"], matches: (work) => has(work, "penguin") && has(work, "12") },
]

test("every sort, group, filter and search of 5,000 open Works agrees with the API", async ({ page }) => {
  await withDesk(5_000, 200, async (desk, upstream) => {
    await page.goto(`${desk.url}/work`)
    await expect(page.getByText("All 5000 open Works", { exact: false })).toBeVisible({ timeout: 60_000 })
    await gathered(desk)
    const { open } = await readAll(upstream)
    const lines: string[] = []
    for (const { choose, matches = () => true, order } of choices) {
      await page.goto(`${desk.url}/work`)
      const expected = open.filter(matches)
      const isAll = expected.length === 5_000
      await expect(page.getByRole("list", { name: "Work" }).getByRole("link").first()).toBeVisible()
      const [control, option] = choose
      const words = isAll ? "All 5000 open Works" : `${expected.length} of all 5000 open Works`
      if (option !== "Newest" && option !== "None") await measureFrom(page, control, option)
      await expect(page.getByText(words)).toBeVisible()
      const rows = await page.getByRole("list", { name: "Work" }).getByRole("link").count()
      expect(rows).toBeLessThanOrEqual(150)
      const ms = await page.evaluate(() => Number(document.documentElement.dataset["rowsAfter"] ?? Number.NaN))
      const shown = await page
        .locator("[data-work]")
        .evaluateAll((links) => links.map((link) => link.getAttribute("data-work") ?? ""))
      const works = shown.flatMap((id) => expected.find((work) => work.id === id) ?? [])
      expect(works, `${control} ${option}`).toHaveLength(shown.length)
      if (order !== undefined)
        for (const [index, work] of works.slice(1).entries())
          expect(order(works[index] ?? work, work), `${control} ${option}`).toBeLessThanOrEqual(0)
      lines.push(`| ${control}: ${option} | ${expected.length} | ${rows} | ${Number.isNaN(ms) ? "" : ms.toFixed(0)} |`)
    }
    console.log(`\n| choice | Works | rows in the page | ms to the rows |\n|---|---:|---:|---:|\n${lines.join("\n")}`)
  })
})

/** Makes the choice, and has the page note the milliseconds until the rows of the new address are painted. */
async function measureFrom(page: Page, control: string, option: string): Promise<void> {
  await page.evaluate(() => {
    delete document.documentElement.dataset["rowsAfter"]
    const before = document.querySelector("[data-work]")
    let began = 0
    for (const type of ["click", "change", "input"])
      addEventListener(type, () => (began ||= performance.now()), { capture: true, once: true })
    const look = () => {
      const isNew = began > 0 && location.search !== "" && before?.isConnected === false
      if (isNew && document.querySelector("[data-work]") !== null)
        document.documentElement.dataset["rowsAfter"] = String(performance.now() - began)
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
  if (control === "Status") {
    await page.getByRole("navigation", { name: "Status" }).getByRole("link", { name: option }).click()
  } else if (control === "Find") await page.getByRole("searchbox", { name: "Find" }).fill(option)
  else await page.getByRole("combobox", { name: control, exact: true }).selectOption(option)
  await expect
    .poll(() => page.evaluate(() => document.documentElement.dataset["rowsAfter"]), { timeout: 30_000 })
    .toBeDefined()
}
