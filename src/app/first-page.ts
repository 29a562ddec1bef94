import type { QueryClient } from "@tanstack/react-query"
import { parseJson } from "../contract/int64.ts"
import type { Waiting } from "../contract/desk.ts"
import { arrivedText } from "./client/early-reads.ts"
import { pagePerson, readSession } from "./client/session.ts"
import { writeWaiting } from "./client/waiting.ts"
import { firstPageOptions } from "./work/work-queries.ts"

/**
 * Puts the answers of the early reads that have arrived into the cache, so that the first render shows their rows. An answer that has
 * not arrived is not waited for: the first render then shows placeholders.
 */
export async function readFirstPage(client: QueryClient): Promise<void> {
  const isSessionHere = arrivedText("/desk/session") !== undefined
  const session = readSession()
  if (!isSessionHere) return
  await session
  if (pagePerson() === undefined) return
  if (arrivedText("/desk/work?") !== undefined) await client.prefetchQuery(firstPageOptions({}))
  const waiting = arrivedText("/desk/waiting")
  // The desk and the app are built from the same commit.
  if (waiting !== undefined) writeWaiting(client, { waiting: parseJson(waiting) as Waiting, error: undefined })
}
