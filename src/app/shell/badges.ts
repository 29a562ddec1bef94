import { useEffect } from "react"
import { setTitlePrefix } from "../ui/page-title.ts"
import { countText, totalOf, type Waiting } from "./waiting.ts"

/** Shows what waits on the page's title, the tab's icon and the installed app's icon. */
export function useBadges(waiting: Waiting): void {
  const total = totalOf(waiting)
  const text = countText(total)
  const count = total?.count ?? 0
  useEffect(() => {
    setTitlePrefix(text)
    document.getElementById("icon")?.setAttribute("href", count > 0 ? "/icon-waiting.svg" : "/icon.svg")
    // Only an installed app has a badge; elsewhere the promise is refused or the function missing.
    navigator.setAppBadge?.(count).catch(() => undefined)
  }, [text, count])
}
