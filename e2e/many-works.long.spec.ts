/** The list with 5,000 open Works and the palette with 1,000: how long they take, and whether they agree with what the API answers. */
import { expect, type Page, test } from "@playwright/test"
import type { Work } from "../src/contract/resources.ts"
import { openFilters } from "./filter-verbs.ts"
import { gathered, readAll, withDesk } from "./many-works-desk.ts"

const DAY = 86_400_000
const RANK = ["urgent", "high", "normal", "low"]

test.describe.configure({ timeout: 400_000 })

/** Without letter case and accents, as a person compares words. */
const plain = (text: string) => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase()
const has = (work: Work, word: string) =>
  plain(`${work.title} ${work.objective} ${work.attention_question ?? ""}`).includes(word)
const dueAt = ({ due_at: at }: Work) => (at === undefined ? Infinity : Date.parse(at))
const dueIn = (work: Work) => dueAt(work) - Date.now()

type Choice = {
  readonly choose: readonly [control: string, option: string]
  /** Which of the open Works are listed. */
  readonly matches?: (work: Work) => boolean
  /** Negative where `one` stands before `other`. */
  readonly order?: (one: Work, other: Work) => number
}

const choices: readonly Choice[] = [
  { choose: ["Sort", "Updated"], order: (one, other) => Date.parse(other.updated_at) - Date.parse(one.updated_at) },
  { choose: ["Sort", "Due"], order: (one, other) => dueAt(one) - dueAt(other) || 0 },
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
    await expect(page.getByText("5000 open", { exact: false })).toBeVisible({ timeout: 60_000 })
    await gathered(desk)
    const { open } = await readAll(upstream)
    const lines: string[] = []
    for (const { choose, matches = () => true, order } of choices) {
      await page.goto(`${desk.url}/work`)
      const expected = open.filter(matches)
      const isAll = expected.length === 5_000
      await expect(page.getByRole("list", { name: "Work" }).getByRole("link").first()).toBeVisible()
      const [control, option] = choose
      const words = isAll ? "5000 open" : `${expected.length} of 5000 open`
      if (option !== "Newest" && option !== "None") await measureFrom(page, control, option)
      await expect(page.getByText(words)).toBeVisible()
      const rows = await page.getByRole("list", { name: "Work" }).getByRole("link").count()
      expect(rows).toBeLessThanOrEqual(150)
      const ms = await page.evaluate(() => Number(document.documentElement.dataset["rowsAfter"] ?? Number.NaN))
      const shown = await page
        .locator("[data-row]")
        .evaluateAll((links) => links.map((link) => link.getAttribute("data-row") ?? ""))
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
  if (["Colleague", "Priority", "Due"].includes(control)) await openFilters(page)
  await page.evaluate(() => {
    delete document.documentElement.dataset["rowsAfter"]
    const before = document.querySelector("[data-row]")
    let began = 0
    for (const type of ["click", "change", "input"])
      addEventListener(type, () => (began ||= performance.now()), { capture: true, once: true })
    const look = () => {
      const isNew = began > 0 && location.search !== "" && before?.isConnected === false
      if (isNew && document.querySelector("[data-row]") !== null)
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

test("the palette opens at the first and at the second use, and finds any of 1,000 open Works", async ({ browser }) => {
  await withDesk(1_000, 0, async (desk, { works }) => {
    await gathered(desk)
    const times: { first: number; second: number }[] = []
    for (let round = 0; round < 5; round++) {
      const context = await browser.newContext({ baseURL: desk.url })
      const page = await context.newPage()
      await page.goto("/work")
      await expect(page.getByRole("list", { name: "Work" })).toBeVisible()
      const first = await timeToOpen(page)
      await page.keyboard.press("Escape")
      await expect(page.getByRole("dialog")).toHaveCount(0)
      times.push({ first, second: await timeToOpen(page) })
      if (round === 0) {
        const oldest = works.at(-1)
        if (oldest === undefined) throw new Error("no Work")
        const began = Date.now()
        await page.keyboard.type(
          `${oldest.colleague_id} ${oldest.title.split(" ").toReversed().join(" ").toLowerCase()}`,
        )
        await expect(page.getByRole("option", { name: oldest.title })).toBeVisible()
        console.log(`the oldest of 1,000 was found ${Date.now() - began} ms after the first letter`)
        await page.keyboard.press("Enter")
        await expect(page).toHaveURL(new RegExp(`/work/${oldest.id}$`))
      }
      await context.close()
    }
    for (const use of ["first", "second"] as const)
      console.log(`palette, ${use} use: ${times.map((each) => each[use].toFixed(0)).join(", ")} ms`)
  })
})

/** The milliseconds from the key to the frame in which the field of the palette has the focus. */
async function timeToOpen(page: Page): Promise<number> {
  await page.evaluate(() => {
    delete document.documentElement.dataset["openAfter"]
    addEventListener(
      "keydown",
      ({ timeStamp }) => {
        const look = () => {
          if (document.activeElement?.getAttribute("role") === "combobox")
            document.documentElement.dataset["openAfter"] = String(performance.now() - timeStamp)
          else requestAnimationFrame(look)
        }
        requestAnimationFrame(look)
      },
      { capture: true, once: true },
    )
  })
  await page.keyboard.press("Control+k")
  const read = () => page.evaluate(() => document.documentElement.dataset["openAfter"])
  await expect.poll(read).toBeDefined()
  return Number(await read())
}
