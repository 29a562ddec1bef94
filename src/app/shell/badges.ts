import { useEffect, useRef } from "react"
import { useNavigate } from "react-router"
import { useBrowserNotices } from "../client/browser-notices.ts"
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

/** Shows notifications of the operating system where the person has switched them on. Their code is loaded only then. */
export function useNotifications(waiting: WaitingCounts): void {
  const navigate = useNavigate()
  const isOn = useBrowserNotices() === "on"
  const wasOn = useRef(false)
  useEffect(() => {
    if (!isOn && !wasOn.current) return
    wasOn.current = isOn
    let left = false
    import("./notifications.ts").then(
      ({ updateNotifications }) => left || updateNotifications(waiting, (to) => void navigate(to)),
      // Without this code there are no notifications. The counts are still shown.
      () => undefined,
    )
    return () => {
      left = true
    }
  }, [isOn, waiting, navigate])
}
