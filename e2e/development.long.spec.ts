import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "@playwright/test"
import { startDesk } from "../src/server.ts"

test("a dialog stays open in development, where React runs every effect twice", async ({ page }) => {
  const folder = await mkdtemp(join(tmpdir(), "workdesk-development-"))
  const server = await startDesk({ PORT: "0", DATA_DIR: folder }, { dev: true, log: () => undefined })
  try {
    await page.goto(server.url)
    await expect(page.getByRole("heading", { level: 1, name: "Needs You" })).toBeVisible({ timeout: 30_000 })
    await page.keyboard.press("?")
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" })
    await expect(dialog.getByRole("heading")).toBeFocused()
    // The dialog would be closed by an event that follows its opening.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    await expect(dialog).toBeVisible()
    await page.keyboard.press("Escape")
    await expect(dialog).toBeHidden()
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
