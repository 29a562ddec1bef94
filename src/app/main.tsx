import { QueryClientProvider } from "@tanstack/react-query"
import { StrictMode, useEffect } from "react"
import { createRoot } from "react-dom/client"
import { createQueryClient } from "./client/query-client.ts"
import { useSession } from "./client/session.ts"
import { followWaiting } from "./client/follow-waiting.ts"
import { shareReads } from "./client/shared-reads.ts"
import { takePreloads } from "./first-page.ts"
import { AppRoutes } from "./routes.tsx"
import { AppRouter } from "./ui/router.tsx"
import { applyTheme } from "./shell/theme.ts"
// Here, so that the pages with dialogs need no further file for the styles that they share with the shell's dialogs.
import "./ui/dialog.module.css"
import "./ui/tokens.css"

applyTheme()
const queryClient = createQueryClient()

/** Tabs of one person share what they read and what waits; who that is, the session says. */
function SharedReads() {
  const isHere = useSession() !== undefined
  useEffect(() => {
    if (!isHere) return
    const ends = [shareReads(queryClient), followWaiting(queryClient)]
    return () => {
      for (const end of ends) end()
    }
  }, [isHere])
  return null
}

function render() {
  const root = document.getElementById("root")
  if (root === null) throw new Error("index.html has no #root")
  const app = (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <SharedReads />
        <AppRouter>
          <AppRoutes />
        </AppRouter>
      </QueryClientProvider>
    </StrictMode>
  )
  createRoot(root).render(app)
}

// A microtask does not have this module on its stack. At each request, a browser with developer tools looks up the lines of the stack, and
// for the module it would parse the whole app again.
queueMicrotask(() => void takePreloads(queryClient).then(render))
