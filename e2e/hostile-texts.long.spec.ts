import type { Page } from "@playwright/test"
import { artifacts, openWork } from "./artifact-verbs.ts"
import { expect, test } from "./fixtures.ts"
import { hostileLetters, hostileTexts } from "./hostile-texts.ts"
import { createQuietWork } from "./inbox-verbs.ts"
import { addApproval } from "./revise.ts"

/** For how many milliseconds opening a text may block the page on an idle machine. */
const BLOCKED_MAX_MS = 200

/** Results on one page. */
const BATCH = 25

/** What the page showed of a text, and its longest task while it opened the text. */
type Opened = { readonly name: string; readonly shown: string; readonly blockedMs: number }

/** Makes the page collect its long tasks (W3C, "Long Tasks API"). */
const watchTasks = (page: Page) =>
  page.addInitScript(() => {
    const tasks: { end: number; duration: number }[] = []
    Object.assign(globalThis, { tasks })
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) tasks.push({ end: startTime + duration, duration })
    }).observe({ type: "longtask", buffered: true })
  })

/** Opens each result or letter from within the page, waits until its content appears, and closes a result again. */
async function openEach(page: Page, names: readonly string[], kind: "results" | "letters"): Promise<Opened[]> {
  return page.evaluate(
    async ([wanted, isLetters]) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
      const tasks: { end: number; duration: number }[] = Reflect.get(globalThis, "tasks")
      const find = (name: string) =>
        isLetters
          ? [...document.querySelectorAll<HTMLElement>("[data-row]")].find((row) => row.textContent.includes(name))
          : [...document.querySelectorAll("button")].find((button) => button.textContent === `Preview ${name}`)
      const opened = []
      for (const name of wanted) {
        const begin = performance.now()
        let button = find(name)
        while (button === undefined && performance.now() - begin < 5_000) {
          await frame()
          button = find(name)
        }
        button?.click()
        let shown = ""
        while (shown === "" && performance.now() - begin < 20_000) {
          await frame()
          const place = isLetters ? document.querySelector("[data-current]") : document.querySelector("dialog[open]")
          if (isLetters && place?.querySelector(":is(h2, h3)")?.textContent.includes(name) !== true) continue
          const content = place?.querySelector(
            "section[aria-label]:not([aria-label='']), [role='status'], [role='alert'], [class*='callout']",
          )
          shown = (isLetters ? place?.textContent : content?.textContent) ?? ""
        }
        await frame()
        await frame()
        const blockedMs = Math.max(0, ...tasks.filter(({ end }) => end > begin).map(({ duration }) => duration))
        opened.push({ name, shown: shown.slice(0, 80), blockedMs: Math.round(blockedMs) })
        const close = [...document.querySelectorAll("dialog[open] button")].find((each) => each.textContent === "Close")
        if (close instanceof HTMLElement) close.click()
        await frame()
      }
      return opened
    },
    [names, kind === "letters"] as const,
  )
}

/**
 * Expects that each text was shown, and that none blocked the page for longer than allowed, or than a few times as long as a harmless text. A few may,
 * because other programs slow the machine down. A text that is slow by itself takes many times longer.
 */
function expectUnblocked(harmless: readonly Opened[], hostile: readonly Opened[]) {
  const worst = hostile.toSorted((a, b) => b.blockedMs - a.blockedMs).slice(0, 8)
  const figures = worst.map(({ name, blockedMs }) => `${name}: ${String(blockedMs)} ms`).join("\n")
  test.info().annotations.push({ type: "longest tasks", description: figures })
  expect(hostile.filter(({ shown }) => shown === "")).toEqual([])
  const max = Math.max(BLOCKED_MAX_MS, 4 * Math.max(...harmless.map(({ blockedMs }) => blockedMs)))
  const slow = hostile.filter(({ blockedMs }) => blockedMs > max)
  expect(slow.length, figures).toBeLessThanOrEqual(Math.max(2, hostile.length / 25))
  expect(slow.filter(({ blockedMs }) => blockedMs > 5 * max)).toEqual([])
}

test.describe("results", () => {
  test.use({ deskOptions: { upstream: "artifacts" } })

  test("no hostile result blocks the page, and each shows its content or a sentence", async ({
    page,
    artifactUpstream,
  }) => {
    test.setTimeout(240_000)
    const harmless = { mediaType: "text/markdown", content: "# A report\n\nSome words.\n".repeat(40) }
    const usual: Opened[] = []
    const opened: Opened[] = []
    await watchTasks(page)
    // A page with all results at once would be slow in any case.
    for (let at = 0; at < hostileTexts.length; at += BATCH) {
      const batch = hostileTexts.slice(at, at + BATCH)
      artifactUpstream.results = [
        { path: "harmless.md", ...harmless },
        ...batch.map(({ name, ...rest }) => ({ path: name, ...rest })),
      ]
      await openWork(page)
      await expect(artifacts(page).getByRole("listitem")).toHaveCount(artifactUpstream.results.length)
      usual.push(...(await openEach(page, ["harmless.md"], "results")))
      const names = batch.map(({ name }) => name)
      opened.push(...(await openEach(page, names, "results")))
    }
    expectUnblocked(usual, opened)
  })
})

test("no hostile letter blocks the page, and each shows its content or a sentence", async ({ page, desk }) => {
  test.setTimeout(240_000)
  const work = await createQuietWork(desk)
  const harmless = Array.from({ length: 4 }, (_, at) => `Harmless letter ${String(at)}.`)
  const hostile = hostileLetters.map(({ name, body }) => ({ body, summary: `Hostile letter: ${name}.` }))
  for (const summary of harmless)
    addApproval(desk, work.id, { summary, body: "Dear reader,\n\nSome words.\n".repeat(40) })
  for (const letter of hostile) addApproval(desk, work.id, letter)
  await watchTasks(page)
  await page.goto("/approvals")
  await expect(page.getByRole("link", { name: "Hostile letter: one long line." })).toBeVisible()
  const usual = await openEach(page, harmless, "letters")
  expectUnblocked(
    usual,
    await openEach(
      page,
      hostile.map(({ summary }) => summary),
      "letters",
    ),
  )
})
