import type { Page } from "@playwright/test"
import { test as base } from "./fixtures.ts"

// React logs each failure that a boundary has caught, so these tests do not compare what the page logs.
export const test = base.extend({
  complaints: async ({}, provide) => provide([]), // oxlint-disable-line no-empty-pattern -- Playwright reads the pattern
})

/** Changes the page as the translation of Chromium does: two new elements with the text replace each text. */
export function translate(page: Page): Promise<void> {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const texts: Text[] = []
    while (walker.nextNode()) if (walker.currentNode instanceof Text) texts.push(walker.currentNode)
    for (const text of texts) {
      if (text.data.trim() === "" || text.parentElement?.closest("script, style, textarea, option, svg")) continue
      const [outer, inner] = [document.createElement("font"), document.createElement("font")]
      inner.textContent = text.data
      outer.append(inner)
      text.replaceWith(outer)
    }
  })
}
