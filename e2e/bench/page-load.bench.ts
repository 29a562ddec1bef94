/**
 * How long a page takes from the click to its first paint and to its first row, as Chromium's own throttling makes it (`npm run bench`): a
 * processor four times slower, and two networks. The first row is the first link of the list in the frame in which it was painted.
 *
 * `node e2e/bench/page-load.bench.ts FOLDER` also measures an older checkout, built, by turns in the same run.
 */
import { pathToFileURL } from "node:url"
import { type Browser, chromium } from "@playwright/test"
import { Owner } from "../../src/demo/owner.ts"
import { findOrInstallBrowser } from "../chromium.ts"
import { startDesk, type Desk } from "../start-desk.ts"

const NETWORKS = [
  { name: "60 ms, 1.2 MB/s", latency: 60, throughput: 1_200_000 },
  { name: "150 ms, 200 kB/s", latency: 150, throughput: 200_000 },
]
const PAGES = ["/work", "/approvals"]
const SLOWER = 4
const LOADS = 5
/** What is wanted: the first row soon after the first paint, and on the faster network the first paint soon. */
const ROW_TO_PAINT = 1.25
const PAINT_MS = 750

type Load = { readonly paint: number; readonly row: number; readonly files: number; readonly bytes: number }

const [olderFolder] = process.argv.slice(2)
const older: { startDesk: typeof startDesk } | undefined =
  olderFolder && (await import(pathToFileURL(`${olderFolder}/e2e/start-desk.ts`).href))
const browser = await chromium.launch({
  ...findOrInstallBrowser(),
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
})
const desks = [
  ...(older === undefined ? [] : [{ name: "older", desk: await older.startDesk() }]),
  { name: "now", desk: await startDesk() },
]
try {
  for (const { desk } of desks) await delegate(desk)
  console.log(
    `\nProcessor ${SLOWER} times slower, the median of ${LOADS} loads. Wanted: row to paint at most ${ROW_TO_PAINT}; first paint at most ${PAINT_MS} ms on the faster network.`,
  )
  console.log(
    "\n| page | network | desk | first paint ms | first row ms | row to paint | files of code | JavaScript kB |\n|---|---|---|---:|---:|---:|---:|---:|",
  )
  for (const page of PAGES) {
    for (const network of NETWORKS) {
      const measured = desks.map(({ name, desk }) => ({ name, address: `${desk.url}${page}`, loads: [] as Load[] }))
      // By turns, so that both meet the same noise.
      for (let count = 0; count < LOADS; count++) {
        for (const { address, loads } of measured) loads.push(await load(browser, address, network))
      }
      for (const { name, loads } of measured)
        console.log(`| ${page} | ${network.name} | ${name} | ${figuresOf(loads)} |`)
    }
  }
} finally {
  await browser.close()
  for (const { desk } of desks) await desk.stop()
}

function figuresOf(loads: readonly Load[]): string {
  const median = (of: (load: Load) => number) =>
    loads.map((load) => of(load)).toSorted((a, b) => a - b)[Math.floor(loads.length / 2)] ?? Number.NaN
  const ratio = median(({ row, paint }) => row / paint)
  return [
    median(({ paint }) => paint).toFixed(0),
    median(({ row }) => row).toFixed(0),
    ratio.toFixed(2),
    median(({ files }) => files),
    (median(({ bytes }) => bytes) / 1_000).toFixed(1),
  ].join(" | ")
}

/** Twelve Works that wait for an approval, so that both pages have rows. */
async function delegate({ url }: Desk): Promise<void> {
  const owner = new Owner(url)
  for (let count = 0; count < 12; count++) {
    const objective = "Send the summary to payments@example.com"
    const { id } = await owner.delegate({ colleague_id: "analyst", objective })
    await owner.answer(id, "Go on")
    await owner.waitForApproval(id)
  }
}

/** Loads `address` in a browser that has never been here. */
async function load(browser: Browser, address: string, network: (typeof NETWORKS)[number]): Promise<Load> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send("Network.enable")
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: network.latency,
    downloadThroughput: network.throughput,
    uploadThroughput: network.throughput,
  })
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWER })
  let files = 0
  let bytes = 0
  let isRowThere = false
  page.on("response", (response) => {
    if (isRowThere || !new URL(response.url()).pathname.endsWith(".js")) return
    files += 1
    bytes += Number(response.headers()["content-length"] ?? 0)
  })
  await page.addInitScript(() => {
    const look = () => {
      if (document.querySelector("main li a") === null) requestAnimationFrame(look)
      // The next task comes after this frame was painted.
      else
        setTimeout(() => {
          performance.mark("first-row")
          console.debug("first-row")
        })
    }
    requestAnimationFrame(look)
  })
  // Playwright's own waiting would put its code into the page while the page loads.
  const firstRow = page.waitForEvent("console", (message) => message.text() === "first-row")
  await page.goto(address, { waitUntil: "commit" })
  await firstRow
  isRowThere = true
  // Chromium tells of a paint some time after the frame.
  const paint = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const observer = new PerformanceObserver((list) => {
          for (const { startTime } of list.getEntriesByName("first-paint")) resolve(startTime)
        })
        observer.observe({ type: "paint", buffered: true })
      }),
  )
  const row = await page.evaluate(() => performance.getEntriesByName("first-row")[0]?.startTime ?? Number.NaN)
  await context.close()
  return { paint, row, files, bytes }
}
