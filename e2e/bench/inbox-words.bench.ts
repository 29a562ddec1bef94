/**
 * What a person sees of the page Approvals besides its items: the words in the list's part of the page (`innerText`, without the rows, the letter
 * and the menu), and where the first row begins on a phone, without and with the banner of a freeze. Another built checkout can be measured in the
 * same run: `node e2e/bench/inbox-words.bench.ts ../other`.
 */
import { resolve } from "node:path"
import { chromium, type Page } from "@playwright/test"
import { findOrInstallBrowser } from "../chromium.ts"
import { startDeskWithApprovals } from "./desk-with-approvals.ts"

const PHONE = { width: 390, height: 844 }
const ROW = "main [data-row]"

const browser = await chromium.launch({
  ...findOrInstallBrowser(),
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
})
console.log("\n| checkout | words | first row on a phone | with a banner |\n|---|---:|---:|---:|")
try {
  for (const root of [...process.argv.slice(2), "."].map((each) => resolve(each))) {
    const desk = await startDeskWithApprovals(10, {}, root)
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    try {
      await page.goto(`${desk.url}/approvals`)
      await page.locator(ROW).nth(9).waitFor()
      const words = await countWords(page)
      await page.setViewportSize(PHONE)
      const bare = await firstRow(page)
      await page.evaluate(() =>
        fetch("/desk/freeze", {
          method: "PUT",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ colleague: null, reason: "It sends letters in a loop. Ask Ana before you end this." }),
        }),
      )
      await page.getByRole("alert").first().waitFor()
      console.log(`| ${root} | ${words} | ${bare} | ${await firstRow(page)} |`)
    } finally {
      await page.close()
      await desk.stop()
    }
  }
} finally {
  await browser.close()
}

function countWords(page: Page): Promise<number> {
  return page.evaluate((row) => {
    const main = document.querySelector("main")
    const texts = [...document.querySelectorAll<HTMLElement>(row)].map((each) => each.innerText)
    const count = (text: string) => text.split(/\s+/).filter(Boolean).length
    return count(main?.innerText ?? "") - texts.reduce((sum, text) => sum + count(text), 0)
  }, ROW)
}

/** Where the first row begins, as a share of the window's height. */
async function firstRow(page: Page): Promise<string> {
  const { y } = (await page.locator(ROW).first().boundingBox()) ?? { y: Number.NaN }
  return `${((100 * y) / PHONE.height).toFixed(0)} %`
}
