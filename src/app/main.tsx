import { QueryClientProvider } from "@tanstack/react-query"
import { StrictMode, useEffect } from "react"
import { createRoot } from "react-dom/client"
import { BrowserRouter } from "react-router"
import "./early.ts"
import { followWaiting } from "./client/follow-waiting.ts"
import { createQueryClient } from "./client/query-client.ts"
import { pagePerson, readSession, useSession } from "./client/session.ts"
import { shareReads } from "./client/shared-reads.ts"
import { AppRoutes } from "./routes.tsx"
import { applyTheme } from "./shell/theme.ts"
import { readAsk } from "./work/list-address.ts"
import { firstPageOptions } from "./work/work-queries.ts"
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

/** The first paint waits at most this long for the session and the list, which are on their way: then the page is painted once. */
const FIRST_PAINT_MS = 400

async function readFirstRows(): Promise<void> {
  await readSession()
  const isList = location.pathname === "/" || location.pathname === "/work"
  if (!isList || pagePerson() === undefined) return
  await queryClient.prefetchQuery(firstPageOptions(readAsk(new URLSearchParams(location.search))))
}

function render() {
  const root = document.getElementById("root")
  if (root === null) throw new Error("index.html has no #root")
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <SharedReads />
        <BrowserRouter>
          <AppRoutes />
        </BrowserRouter>
      </QueryClientProvider>
    </StrictMode>,
  )
}

const deadline = new Promise((resolve) => setTimeout(resolve, FIRST_PAINT_MS))
void Promise.race([readFirstRows(), deadline]).then(render, render)
