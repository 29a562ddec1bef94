import { useEffect } from "react"
import { setTitlePrefix } from "../ui/page-title.ts"
import { countText, totalOf, type WaitingCounts } from "./waiting-counts.ts"

/** Shows the count of what waits in the title of the page, on the icon of the tab and on the icon of the installed app. */
export function useBadges(waiting: WaitingCounts): void {
  const total = totalOf(waiting)
  const text = countText(total)
  const count = total?.count ?? 0
  useEffect(() => {
    setTitlePrefix(text)
    document.getElementById("icon")?.setAttribute("href", count > 0 ? "/icon-waiting.svg" : "/icon.svg")
    // Only an installed app has a badge. Otherwise the promise is rejected or the function is missing.
    navigator.setAppBadge?.(count).catch(() => undefined)
  }, [text, count])
}
