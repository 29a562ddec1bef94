/**
 * What the page Approvals costs a browser whose processor is four times slower (`npm run bench`), with 50 and with 500 Works that each wait for an
 * approval, under the default quota of 600 requests a minute. Measures the main thread's processor time until every Work is checked, the same for
 * a minute at rest, and the time from the key J until the next item is painted.
 *
 * `node e2e/bench/inbox-page.bench.ts FOLDER` also measures an older checkout, built, in the same run.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type Browser, type CDPSession, chromium, type Page } from "@playwright/test"
import { findOrInstallBrowser } from "../chromium.ts"
import { startProgram } from "../program.ts"
import { fillStore } from "./fill-store.ts"
import { median } from "./load/figures.ts"

const SLOWER = 4
const REST_SECONDS = 30
const ITEMS = 20
const ROOT = join(import.meta.dirname, "../..")

const [olderFolder] = process.argv.slice(2)
const checkouts = [...(olderFolder ? [{ name: "older", root: olderFolder }] : []), { name: "now", root: ROOT }]
const browser = await chromium.launch({
  ...findOrInstallBrowser(),
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
})
console.log(
  `\nProcessor ${SLOWER} times slower. Wanted: gathering 500 Works at most 4 s, at rest at most 0.8 s a minute, the next item at most 100 ms among 50 and 140 ms among 500.`,
)
console.log("\n| Works | desk | gathering, s | at rest, s a minute | next item, median ms |\n|---:|---|---:|---:|---:|")
try {
  for (const works of [50, 500]) {
    for (const { name, root } of checkouts) console.log(`| ${works} | ${name} | ${await measure(root, works)} |`)
  }
} finally {
  await browser.close()
}

async function measure(root: string, works: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "workdesk-bench-"))
  const configFile = join(folder, "service.json")
  await writeFile(configFile, JSON.stringify({ limits: { activeWork: 1e6 } }))
  // The store's tables are those of the checkout.
  const own: { fillStore: typeof fillStore } = await import(pathToFileURL(join(root, "e2e/bench/fill-store.ts")).href)
  own.fillStore(join(folder, "service"), works, {
    // The time of the Work is used up, so that no colleague works on it.
    work: {
      account: "sa_demo",
      owner: "owner_demo",
      colleague_id: "metronome",
      status: "paused",
      execution_limit_ms: 1_000,
      executed_ms: 1_000,
    },
    hasApproval: true,
  })
  const environment = { PORT: "0", DATA_DIR: folder, SERVICE_CONFIG: configFile }
  const desk = await startProgram("src/server.ts", environment, [], root)
  try {
    return await measurePage(browser, `${desk.url}/approvals`, works)
  } finally {
    await desk.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measurePage(from: Browser, address: string, works: number): Promise<string> {
  const context = await from.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" })
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWER })
  await page.goto(address)
  // Playwright's own waiting would run code in the page again and again.
  const checked = page.getByText(`${works} of ${works} checked`)
  while (!(await checked.isVisible())) await new Promise((resolve) => setTimeout(resolve, 2_000))
  const gathering = await busySeconds(devtools)
  await new Promise((resolve) => setTimeout(resolve, REST_SECONDS * 1_000))
  const rest = (await busySeconds(devtools)) - gathering
  const next = await nextItems(page)
  await context.close()
  return [gathering.toFixed(1), ((rest * 60) / REST_SECONDS).toFixed(2), median(next).toFixed(0)].join(" | ")
}

/** How long the page's main thread has been busy since the beginning. */
async function busySeconds(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send("Performance.getMetrics")
  return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN
}

/** Presses J again and again. Gives the milliseconds from each key to the frame that shows the next item. */
async function nextItems(page: Page): Promise<readonly number[]> {
  const times: number[] = []
  for (let count = 0; count <= ITEMS; count++) {
    await page.evaluate(() => {
      const title = () => document.querySelector("[data-current] :is(h2, h3)")?.textContent
      const before = title()
      performance.clearMarks()
      addEventListener("keydown", () => performance.mark("pressed"), { once: true, capture: true })
      const look = () => {
        if (title() === before) requestAnimationFrame(look)
        // The next task comes after this frame was painted.
        else setTimeout(() => performance.mark("shown"))
      }
      requestAnimationFrame(look)
    })
    await page.keyboard.press("j")
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    times.push(
      await page.evaluate(() => {
        const [pressed, shown] = ["pressed", "shown"].map((name) => performance.getEntriesByName(name)[0]?.startTime)
        return (shown ?? Number.NaN) - (pressed ?? Number.NaN)
      }),
    )
  }
  // The first item loads the code of the card.
  return times.slice(1)
}
