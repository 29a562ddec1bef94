/** What shows outside the page how much waits: its title, its icons, and notifications. */
import { useEffect, useRef } from "react"
import { useNavigate } from "react-router"
import { useWantsNotifications } from "../client/notification-choice.ts"
import { useSession } from "../client/session.ts"
import { useWaiting } from "../client/waiting.ts"
import { titleCount } from "../ui/page-parts.tsx"
import { countText, totalOf, useWaitingCounts } from "./waiting-counts.ts"

/** Shows pending items outside the page: in its title, on its icons, and in notifications of the operating system. */
export function WaitingSigns(): null {
  useBadges()
  useNotifications()
  return null
}

/** Shows the count of pending items in the title of the page, on the icon of the tab and on the icon of the installed app. */
function useBadges(): void {
  const total = totalOf(useWaitingCounts())
  const text = countText(total)
  const count = total?.count ?? 0
  useEffect(() => {
    titleCount.set(text)
    const icon = document.getElementById("icon")
    const href = count > 0 ? "/icon-waiting.svg" : "/icon.svg"
    // A browser loads the icon again whenever its address is set.
    if (icon?.getAttribute("href") !== href) icon?.setAttribute("href", href)
    // Only an installed app has a badge. Otherwise the promise is rejected or the function is missing.
    navigator.setAppBadge?.(count).catch(() => undefined)
  }, [text, count])
}

/** Shows notifications of the operating system where the person has switched them on. Their code is loaded only then. */
function useNotifications(): void {
  const navigate = useNavigate()
  const myId = useSession()?.person.id ?? ""
  const areWanted = useWantsNotifications()
  const waiting = useWaiting((now) => (areWanted ? now.waiting : undefined))
  const wereWanted = useRef(false)
  useEffect(() => {
    // Right after a switch-off the code runs once more, and closes the notifications.
    if (!areWanted && !wereWanted.current) return
    wereWanted.current = areWanted
    let left = false
    import("./notifications.ts").then(
      ({ updateNotifications }) => left || updateNotifications(waiting, myId, (to) => void navigate(to)),
      // Without this code there are no notifications. The counts are still shown.
      () => undefined,
    )
    return () => {
      left = true
    }
  }, [areWanted, waiting, myId, navigate])
}
