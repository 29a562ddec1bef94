/**
 * What the page Approvals costs the main thread of a browser (`npm run bench`; `inbox.bench.ts` measures the desk), with 50 and with 500 Works that
 * each wait for an approval: until every Work is checked, in a minute at rest, from the key J until the next item is painted, and from a letter in
 * `Find words` until the letter is painted, and until the found items are.
 *
 * The figures are processor time, times four: the time on a processor that is four times slower. Chromium's own slowing down would count the
 * time in which other programs have the processor.
 *
 * `node e2e/bench/inbox-page.bench.ts FOLDER` also measures an older checkout, built, in the same run.
 */
import { loadavg } from "node:os"
import { setTimeout as pause } from "node:timers/promises"
import { type Browser, type CDPSession, chromium, type Page } from "@playwright/test"
import { findOrInstallBrowser } from "../chromium.ts"
import { startDeskWithApprovals } from "./desk-with-approvals.ts"
import { median } from "./load/figures.ts"

const SLOWER = 4
const REST_SECONDS = 30
const ITEMS = 20

const [olderFolder] = process.argv.slice(2)
const checkouts = [...(olderFolder ? [{ name: "older", root: olderFolder }] : []), { name: "now", root: undefined }]
const browser = await chromium.launch({
  ...findOrInstallBrowser(),
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
})
console.log(
  "\nWanted: gathering 500 Works at most 4 s, at rest at most 0.8 s a minute, the next item at most 100 ms among 50 and among 500, a letter within 16 ms.",
)
console.log(
  "\n| Works | desk | gathering, s | at rest, s a minute | next item, median ms | letter, median ms | found, median ms | load of the machine |\n|---:|---|---:|---:|---:|---:|---:|---:|",
)
try {
  for (const works of [50, 500]) {
    for (const { name, root } of checkouts) {
      const desk = await startDeskWithApprovals(works, {}, root)
      try {
        const figures = await measurePage(browser, desk.url)
        console.log(`| ${[works, name, ...figures, loadavg()[0]?.toFixed(0)].join(" | ")} |`)
      } finally {
        await desk.stop()
      }
    }
  }
} finally {
  await browser.close()
}

async function measurePage(from: Browser, desk: string): Promise<readonly string[]> {
  const context = await from.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" })
  await page.goto(`${desk}/approvals`)
  // The desk is asked, because a look at the page would cost its main thread something.
  while (!(await (await fetch(`${desk}/desk/waiting`)).text()).includes('"complete":true')) await pause(1_000)
  await pause(5_000)
  const gathering = await busyMs(devtools)
  await pause(REST_SECONDS * 1_000)
  const rest = (await busyMs(devtools)) - gathering
  const next = await eachTime(ITEMS + 1, () => untilPainted(page, devtools, "[data-pane] :is(h2, h3)", "j"))
  const field = page.getByRole("searchbox", { name: "Find words" })
  const canFind = await field.isVisible()
  if (canFind) await field.focus()
  const type = (selector: string) => (count: number) =>
    untilPainted(page, devtools, selector, count % 2 === 0 ? String((count / 2) % 10) : "Backspace")
  const letters = await eachTime(canFind ? ITEMS : 0, type("main input"))
  const found = await eachTime(canFind ? ITEMS : 0, type("main [aria-live]"))
  await context.close()
  return [
    (gathering / 1_000).toFixed(1),
    ((rest / 1_000) * (60 / REST_SECONDS)).toFixed(2),
    // The first item loads the code of the card.
    median(next.slice(1)).toFixed(0),
    ...[letters, found].map((each) => (canFind ? median(each).toFixed(0) : "")),
  ]
}

async function eachTime(times: number, act: (count: number) => Promise<number>): Promise<readonly number[]> {
  const results: number[] = []
  for (let count = 0; count < times; count++) results.push(await act(count))
  return results
}

/** How long the page's main thread has been busy since the beginning. */
async function busyMs(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send("Performance.getMetrics")
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1_000 * SLOWER
}

/** How long the main thread is busy from a key until what the element `selector` says has changed on the screen. */
async function untilPainted(page: Page, devtools: CDPSession, selector: string, key: string): Promise<number> {
  const looks = page.waitForEvent("console", (message) => message.text() === "looks")
  const painted = page.evaluate(
    (wanted) =>
      new Promise<void>((resolve) => {
        const said = () => {
          const element = document.querySelector(wanted)
          return element instanceof HTMLInputElement ? element.value : element?.textContent
        }
        const before = said()
        const look = () => {
          if (said() === before) requestAnimationFrame(look)
          // The next task comes after this frame was painted.
          else setTimeout(resolve)
        }
        requestAnimationFrame(look)
        console.debug("looks")
      }),
    selector,
  )
  await looks
  const busy = await busyMs(devtools)
  await page.keyboard.press(key)
  await painted
  const spent = (await busyMs(devtools)) - busy
  await pause(1_000)
  return spent
}
