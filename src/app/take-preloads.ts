import type { QueryClient } from "@tanstack/react-query"
import { parseJson } from "../contract/int64.ts"
import type { OpenWorkList } from "../contract/desk-work.ts"
import { pagePerson, readSession } from "./client/session.ts"
import { readWaiting, writeWaiting } from "./client/waiting.ts"
import { partAt } from "./routes.tsx"
import { pageOptions, toPage } from "./work/work-queries.ts"

/**
 * Takes what the browser has preloaded for this page (`pages.ts`), so that the first render shows the rows. Waits for nothing that has not
 * arrived: the first render then shows placeholders. After a failure the page asks again, and says what is missing.
 */
export async function takePreloads(client: QueryClient): Promise<void> {
  await Promise.allSettled([takeCode(), takeAnswers(client)])
}

async function takeCode(): Promise<void> {
  const files = [...document.querySelectorAll<HTMLLinkElement>("link[rel=modulepreload]")]
  if (files.length > 0 && files.every(({ href }) => hasArrived(href))) await partAt(location.pathname)?.load()
}

async function takeAnswers(client: QueryClient): Promise<void> {
  const list = takeAnswer("/desk/work?")
  const waiting = takeAnswer("/desk/waiting")
  const isSessionHere = hasArrived("/desk/session")
  const session = readSession()
  if (!isSessionHere) return
  await session
  if (pagePerson() === undefined) return
  const listText = await list
  if (listText !== undefined) {
    // This list is as old as the watcher's last round, so it counts as stale, and the page reads the list again at once.
    const stale = { updatedAt: 0 }
    client.setQueryData(pageOptions({}).queryKey, toPage(parseJson(listText) as OpenWorkList, {}), stale)
  }
  const waitingText = await waiting
  const whatWaits = waitingText === undefined ? undefined : readWaiting(parseJson(waitingText))
  if (whatWaits !== undefined) writeWaiting(client, { waiting: whatWaits, error: undefined })
}

/**
 * The text of a preloaded answer; undefined where the page preloads no such answer, or the answer has not arrived or is an error. The request is
 * made even where nothing waits for it: the browser gives the preloaded answer to the first request, which later would be an old answer.
 */
async function takeAnswer(path: string): Promise<string | undefined> {
  if (document.querySelector(`link[rel=preload][href="${path}"]`) === null) return undefined
  const isHere = hasArrived(path)
  const text = fetch(path).then((response) => (response.ok ? response.text() : undefined))
  if (isHere) return text
  text.catch(() => undefined)
  return undefined
}

/** Whether the browser has loaded the file or answer at `address` (Resource Timing). */
function hasArrived(address: string): boolean {
  return performance.getEntriesByName(new URL(address, location.href).href).length > 0
}
