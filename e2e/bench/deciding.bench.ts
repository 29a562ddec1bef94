/**
 * Ten approvals in a row, by keyboard and by mouse, at machine speed: the number of presses, and the seconds from the first press to the answer to the
 * last approve. Each letter fits into the window of 1280 by 800, and the service takes 20 ms longer for each decision. Another built checkout can be
 * measured in the same run: `node e2e/bench/deciding.bench.ts ../other`.
 */
import { resolve } from "node:path"
import { type Browser, chromium, type Page } from "@playwright/test"
import { findOrInstallBrowser } from "../chromium.ts"
import { startDeskWithApprovals } from "./desk-with-approvals.ts"

const LETTERS = 10
const SERVICE_MS = 20
const ROUNDS = 3

const browser = await chromium.launch({
  ...findOrInstallBrowser(),
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
})
const roots = [...process.argv.slice(2), "."].map((root) => resolve(root))
console.log("\n| checkout | by | presses | seconds (median) | rounds |\n|---|---|---:|---:|---|")
try {
  for (const root of roots)
    for (const by of ["keyboard", "mouse"] as const) {
      const rounds: { readonly presses: number; readonly seconds: number }[] = []
      for (let round = 0; round < ROUNDS; round++) rounds.push(await approveAll(browser, root, by))
      const sorted = rounds.toSorted((one, other) => one.seconds - other.seconds)
      const median = sorted[Math.floor(ROUNDS / 2)]
      const seconds = sorted.map((each) => each.seconds.toFixed(1)).join(" ")
      console.log(`| ${root} | ${by} | ${median?.presses} | ${median?.seconds.toFixed(1)} | ${seconds} |`)
    }
} finally {
  await browser.close()
}

async function approveAll(opened: Browser, root: string, by: "keyboard" | "mouse") {
  const desk = await startDeskWithApprovals(LETTERS, {}, root)
  const page = await opened.newPage({ viewport: { width: 1280, height: 800 } })
  try {
    await page.route("**/resolve", async (route) => {
      await new Promise((done) => setTimeout(done, SERVICE_MS))
      await route.continue()
    })
    await page.goto(`${desk.url}/approvals`)
    await page.getByRole("main").locator("[data-row]").first().click()
    const presses = countPresses(page, by)
    await enabled(page, "Decline")
    const begin = performance.now()
    for (let letter = 1; letter <= LETTERS; letter++) {
      const answered = page.waitForResponse((response) => response.url().endsWith("/resolve") && response.ok())
      await presses.approve()
      await answered
    }
    return { presses: presses.count(), seconds: (performance.now() - begin) / 1_000 }
  } finally {
    await page.close()
    await desk.stop()
  }
}

function button(page: Page, name: string) {
  return page.getByRole("button", { name, exact: true })
}

function enabled(page: Page, name: string) {
  const isEnabled = (wanted: string) =>
    [...document.querySelectorAll("button")].some(
      (each) =>
        each.textContent === wanted && !each.matches(":disabled, [aria-disabled=true]") && each.checkVisibility(),
    )
  return page.waitForFunction(isEnabled, name, { polling: 10 })
}

/** Whether the letter still has to be read to its end. */
function isAsked(page: Page) {
  return page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame)
    return [...document.querySelectorAll("button")].some(
      (each) => each.textContent === "Read to the end" && each.checkVisibility({ visibilityProperty: true }),
    )
  })
}

/** Approves the letter on the screen and counts the presses. An older app confirms by its button, not by the chord. */
function countPresses(page: Page, by: "keyboard" | "mouse") {
  let count = 0
  const press = async (key: string) => {
    count++
    await page.keyboard.press(key)
  }
  /** Scrolls on until every part of the letter has been in the window. */
  const read = async (scrollOn: () => Promise<void>) => {
    await enabled(page, "Decline")
    while (await isAsked(page)) await scrollOn()
    await enabled(page, "Approve")
  }
  const byKeyboard = async () => {
    await read(() => press("PageDown"))
    await press("a")
    const confirm = button(page, "Confirm approve")
    await confirm.waitFor()
    // In older apps the comment has the focus, and the button comes after it.
    if (await confirm.evaluate((element) => element === document.activeElement)) return press("ControlOrMeta+Enter")
    await enabled(page, "Confirm approve")
    await press("Tab")
    await press("Enter")
  }
  const byMouse = async () => {
    await read(async () => {
      count++
      await button(page, "Read to the end").click()
    })
    for (const name of ["Approve", "Confirm approve"]) {
      await enabled(page, name)
      count++
      await button(page, name).click()
    }
  }
  return { approve: by === "keyboard" ? byKeyboard : byMouse, count: () => count }
}
