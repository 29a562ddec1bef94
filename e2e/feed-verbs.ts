import type { Page } from "@playwright/test"
import { type EventUpstream, frame, type StreamRequest } from "./event-upstream.ts"

/** The page that shows each event as it was sent. */
export const WORK = "/work/work_1?activity=raw"
export const activity = (page: Page) => page.getByRole("region", { name: "Activity" })
export const log = (page: Page) => activity(page).getByRole("log")
export const entries = (page: Page) => log(page).getByRole("listitem")
export const status = (page: Page) => activity(page).getByRole("status")

export const entry = (page: Page, text: string | RegExp) => log(page).locator("summary").filter({ hasText: text })

/** Opens each stream, and sends the events after its position, as a service does. */
export function serve(
  eventUpstream: EventUpstream,
  events: readonly string[],
  then?: (request: StreamRequest) => void,
) {
  eventUpstream.onStream = (request) => {
    request.open()
    request.write(events.slice(Number(request.after)).join(""))
    then?.(request)
  }
}

export const event = (sequence: number) => frame(sequence, "step", `{"message":"Step ${String(sequence)}"}`)
export const events = (count: number) => Array.from({ length: count }, (_, index) => event(index + 1))

/** Makes the tab hidden or visible, as a browser reports it. */
export async function setHidden(page: Page, hidden: boolean) {
  await page.evaluate((isHidden) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden })
    Object.defineProperty(document, "visibilityState", {
      configurable: true,
      get: () => (isHidden ? "hidden" : "visible"),
    })
    document.dispatchEvent(new Event("visibilitychange"))
  }, hidden)
}

/** The sequences that the log shows, newest first. */
export async function sequences(page: Page): Promise<string[]> {
  const entries = await log(page).getByRole("listitem").locator("summary").allInnerTexts()
  return entries.map((text) => /(\S+)\s*$/.exec(text)?.[1] ?? "")
}

/** The sequences of the first `to` events, newest first. */
export const countDown = (to: number) => Array.from({ length: to }, (_, index) => String(to - index))
