import type { Page } from "@playwright/test"
import { createWork } from "./fixtures.ts"
import type { Desk } from "./start-desk.ts"

/** A Work that stays `working` and says nothing. */
export const quiet = (title: string) => ({ colleague_id: "metronome", objective: "rate=0.001", title })

/** Creates `count` quiet Works, 25 at once, and returns their titles. */
export async function createMany(desk: Desk, count: number, prefix = "Bulk"): Promise<string[]> {
  const titles = Array.from({ length: count }, (_, index) => `${prefix} ${String(index).padStart(4, "0")}`)
  for (let begin = 0; begin < count; begin += 25)
    await Promise.all(titles.slice(begin, begin + 25).map((title) => createWork(desk, quiet(title))))
  return titles
}

export const rows = (page: Page) => page.getByRole("main").getByRole("list", { name: "Work" }).getByRole("link")
export const row = (page: Page, title: string) => rows(page).filter({ hasText: title })
