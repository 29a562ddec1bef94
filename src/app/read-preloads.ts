import type { QueryClient } from "@tanstack/react-query"
import { parseJson } from "../contract/int64.ts"
import { pagePerson, readSession } from "./client/session.ts"
import { validOf } from "./client/value-schema.ts"
import { toWaiting, isWaiting, type AnsweredWaiting } from "./client/waiting.ts"
import { writeWaiting } from "./client/write-waiting.ts"
import { partAt } from "./routes.tsx"
import { openWorkList, pageOptions, toPage } from "./work/work-queries.ts"

/**
 * Reads what the browser has preloaded for this page (`pages.ts`), so that the first render shows the rows. Doesn't wait for what has not arrived:
 * the first render then shows placeholders. After a failure the page asks again, and shows what is missing. `waiting` is the answer of
 * `GET /desk/waiting`, even if it arrives later.
 */
export async function readPreloads(
  client: QueryClient,
): Promise<{ readonly waiting: Promise<AnsweredWaiting | undefined> }> {
  const hasWaiting = hasArrived("/desk/waiting")
  const waiting = readPreloadedWaiting().catch(() => undefined)
  await Promise.allSettled([preloadCode(), showAnswers(client, hasWaiting ? waiting : undefined)])
  return { waiting }
}

async function preloadCode(): Promise<void> {
  const files = [...document.querySelectorAll<HTMLLinkElement>("link[rel=modulepreload]")]
  if (files.length > 0 && files.every(({ href }) => hasArrived(href))) await partAt(location.pathname)?.load()
}

/** Writes the answers that have arrived into their queries, once it is known that the person of this page is signed in. */
async function showAnswers(client: QueryClient, waiting: Promise<AnsweredWaiting | undefined> | undefined) {
  const hasList = hasArrived("/desk/work?")
  const hasSession = hasArrived("/desk/session")
  const list = readPreloaded("/desk/work?").catch(() => undefined)
  const session = readSession()
  if (!hasSession) return
  await session
  if (pagePerson() === undefined) return
  const listText = hasList ? await (await list)?.text() : undefined
  const answer = listText === undefined ? undefined : validOf(openWorkList, parseJson(listText))
  if (answer !== undefined) {
    // This list is as old as the watcher's last round, so it counts as stale, and the page reads the list again at once.
    const stale = { updatedAt: 0 }
    client.setQueryData(pageOptions({}).queryKey, toPage(answer, {}), stale)
  }
  const answered = await waiting
  if (answered !== undefined) writeWaiting(client, { waiting: toWaiting(answered.answer), error: undefined })
}

async function readPreloadedWaiting(): Promise<AnsweredWaiting | undefined> {
  const response = await readPreloaded("/desk/waiting")
  const answer = response && parseJson(await response.text())
  return isWaiting(answer) ? { etag: response?.headers.get("etag") ?? undefined, answer } : undefined
}

/**
 * A preloaded answer; undefined if the page preloads no such answer, or the answer is an error. The request is made even if nothing needs it: the
 * browser uses the preloaded answer for the first request, and a later request would get an old answer.
 */
async function readPreloaded(path: string): Promise<Response | undefined> {
  if (document.querySelector(`link[rel=preload][href="${path}"]`) === null) return undefined
  const response = await fetch(path)
  return response.ok ? response : undefined
}

/** Whether the browser has loaded the file or answer at `address` (Resource Timing). */
function hasArrived(address: string): boolean {
  return performance.getEntriesByName(new URL(address, location.href).href).length > 0
}
