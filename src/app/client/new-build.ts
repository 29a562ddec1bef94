/** Notices that the desk serves another build of the app than this page. Nothing reloads by itself: `shell.tsx` offers `Reload`. */
import { useSession } from "./session.ts"

/** The build whose files this page has loaded. The page's own answer names it; else it is the build of the first session. */
let loadedBuild = performance
  .getEntriesByType("navigation")
  .flatMap((entry) => (entry instanceof PerformanceNavigationTiming ? entry.serverTiming : []))
  .find(({ name }) => name === "build")?.description

/** Whether the desk serves another build of the app than the one of this page. */
export function useHasNewBuild(): boolean {
  const build = useSession()?.build
  loadedBuild ??= build
  return build !== undefined && build !== loadedBuild
}
