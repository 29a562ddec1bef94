/** Reports to the desk which version of a Work the person has seen (docs/team.md, "Since you were here"). */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { type RefCallback, useCallback } from "react"
import type { SeenReport } from "../../contract/desk-work.ts"
import type { Work } from "../../contract/resources.ts"
import { deskFetch } from "../client/desk-request.ts"
import { jsonRequest } from "../client/desk-writes.ts"
import { newsOptions } from "../client/news.ts"

/** How long a page must be visible until its Work counts as seen. */
const SEEN_AFTER_MS = 1_000

/** The ref of the element that shows a Work. Each version that is visible for a second is reported once, and what comes later again. */
export function useSeenReport({ id, version }: Pick<Work, "id" | "version">): RefCallback<HTMLElement> {
  const client = useQueryClient()
  const { data: newsAt } = useQuery({ ...newsOptions, select: (news) => news.new.find(({ work }) => work === id)?.at })
  return useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined
      const report = async () => {
        const seen: SeenReport = { work: id, version: String(version) }
        // An older desk answers 404. What could not be reported stays new.
        const request = new Request("/desk/seen", jsonRequest("POST", seen))
        const answer = await deskFetch(request).catch(() => undefined)
        if (answer?.ok === true && newsAt !== undefined) await client.invalidateQueries(newsOptions)
      }
      return whenVisibleFor(SEEN_AFTER_MS, () => void report())
    },
    // News that leaves the version as it is, such as a decision, counts as seen too.
    [id, version, newsAt, client],
  )
}

/** Calls `act` once the page was visible for a time without a pause. @returns a function that stops this */
function whenVisibleFor(milliseconds: number, act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => {
    clearTimeout(timer)
    document.removeEventListener("visibilitychange", look)
  }
  const look = () => {
    clearTimeout(timer)
    if (document.hidden) return
    timer = setTimeout(() => {
      stop()
      act()
    }, milliseconds)
  }
  document.addEventListener("visibilitychange", look)
  look()
  return stop
}
