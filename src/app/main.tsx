import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { StrictMode } from "react"
import { BrowserRouter } from "react-router"
import { createRoot } from "react-dom/client"
import { DeskError } from "./client/desk-error.ts"
import { whenPersonIsKnown } from "./client/session.ts"
import { followWaiting } from "./client/follow-waiting.ts"
import { retryInterval } from "./client/polling.ts"
import { readPreloads } from "./read-preloads.ts"
import { AppRoutes } from "./routes.tsx"
import { applyTheme } from "./shell/theme.ts"
// Here, so that the pages with dialogs need no further file for the styles that they share with the shell's dialogs.
import "./ui/dialog.module.css"
import "./ui/tokens.css"

applyTheme()

/**
 * A read without an answer is tried twice more, after 0.3 s and 0.6 s. Then the error is shown, and `retryInterval` says when to read again. A
 * refusal is shown at once. A page reads its data again when it is opened, shown again or online again.
 */
const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1_000,
      gcTime: 10 * 60_000,
      networkMode: "always",
      refetchInterval: retryInterval,
      // In a hidden tab TanStack Query delays the second try, and so the polling for the counts, until the tab is shown.
      retry: (failures, error) =>
        !document.hidden && error instanceof DeskError && error.kind === "unreachable" && failures < 2,
      retryDelay: (failures) => 300 * 2 ** failures,
    },
  },
})

function render({ waiting }: Awaited<ReturnType<typeof readPreloads>>) {
  const root = document.getElementById("root")
  if (root === null) throw new Error("index.html has no #root")
  const app = (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <BrowserRouter useTransitions={false}>
          <AppRoutes />
        </BrowserRouter>
      </QueryClientProvider>
    </StrictMode>
  )
  createRoot(root).render(app)
  whenPersonIsKnown(() => followWaiting(queryClient, waiting))
}

// A microtask does not have this module on its stack. At each request, a browser with developer tools looks up the lines of the stack, and
// for the module it would parse the whole app again.
queueMicrotask(() => void readPreloads(queryClient).then(render))
