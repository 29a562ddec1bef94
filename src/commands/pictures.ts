/**
 * `npm run pictures` takes the pictures of README.md, `docs/pictures/<page>-<desk|phone>-<light|dark>.png`, from a demonstration with a data
 * folder of its own, in a real browser.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Browser, chromium, type Page } from "@playwright/test"
import { findBrowser } from "../../e2e/chromium.ts"
import { startProgram } from "../../e2e/program.ts"
import { runAsCommand } from "./command.ts"

const PICTURES = join(import.meta.dirname, "../../docs/pictures")
const SIZES = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const

/** Opens the page of each picture, and waits for an element that appears only when the page is complete. */
const PAGES: Readonly<Record<"overview" | "list" | "detail" | "approvals" | "alike", (page: Page) => Promise<void>>> = {
  overview: async (page) => {
    await page.goto("/overview")
    await page.getByText(/^All \d+ checked/).waitFor()
  },
  list: async (page) => {
    await page.goto("/work")
    await page.getByRole("link", { name: /October invoices by supplier/ }).waitFor()
  },
  detail: async (page) => {
    await page.goto("/work")
    await page.getByRole("link", { name: /Reconcile October supplier invoices/ }).click()
    await page.getByRole("textbox", { name: "Your answer" }).waitFor()
    await page.getByRole("log").getByText("october-invoices.csv").first().waitFor()
  },
  approvals: async (page) => {
    await page.goto("/approvals")
    await page.getByRole("link", { name: /p.yments@halden\.example/ }).click()
    await page.getByRole("button", { name: "Approve", exact: true }).waitFor()
    await page
      .getByRole("region", { name: "Before you decide" })
      .getByText(/Looks like/)
      .first()
      .waitFor()
  },
  alike: async (page) => {
    await page.goto("/approvals")
    await page.getByRole("button", { name: /^Read together .*books@/ }).click()
    await page.getByText("First letter to this destination").first().waitFor()
  },
}

/** The pictures that README.md shows. */
const SHOWN = [
  ["overview", "desk", "light"],
  ["overview", "desk", "dark"],
  ["detail", "desk", "light"],
  ["approvals", "desk", "light"],
  ["alike", "desk", "light"],
  ["list", "phone", "dark"],
] as const

async function takePictures(browser: Browser, url: string): Promise<void> {
  for (const [name, size, colorScheme] of SHOWN) {
    const page = await browser.newPage({
      baseURL: url,
      viewport: SIZES[size],
      colorScheme,
      reducedMotion: "reduce",
      locale: "en-GB",
      timezoneId: "Europe/Madrid",
    })
    await PAGES[name](page)
    // A decision's buttons are enabled a moment after they appear, and their colour fades in.
    await page.waitForTimeout(1200)
    const path = join(PICTURES, `${name}-${size}-${colorScheme}.png`)
    await page.screenshot({ path })
    console.log(path)
    await page.close()
  }
}

async function run(): Promise<void> {
  mkdirSync(PICTURES, { recursive: true })
  await using closing = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), "workdesk-pictures-"))
  closing.defer(() => rmSync(folder, { recursive: true, force: true }))
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : []
  const browser = await chromium.launch({ ...findBrowser(), args })
  closing.defer(() => browser.close())
  const demo = await startProgram("src/commands/demo.ts", { PORT: "0", DATA_DIR: folder })
  closing.defer(() => demo.stop())
  await takePictures(browser, demo.url)
}

const USAGE = "Usage:\n  npm run pictures    takes the screenshots in README.md from the demo. It needs the built app"

await runAsCommand({ usage: USAGE, options: {} }, async (_, ...others) => {
  if (others.length > 0) return "usage"
  await run()
  return 0
})
