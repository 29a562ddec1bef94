import { QueryClientProvider } from "@tanstack/react-query"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { BrowserRouter } from "react-router"
import { forgetOldIntents } from "./client/intent.ts"
import { createQueryClient } from "./client/query-client.ts"
import { readSession } from "./client/session.ts"
import { shareReads } from "./client/shared-reads.ts"
import { AppRoutes } from "./routes.tsx"
import { applyTheme } from "./shell/theme.ts"
import "./ui/tokens.css"

void readSession()
applyTheme()
forgetOldIntents()
const queryClient = createQueryClient()
shareReads(queryClient)

const root = document.getElementById("root")
if (root === null) throw new Error("index.html has no #root")
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <BrowserRouter>
        <AppRoutes />
      </BrowserRouter>
    </QueryClientProvider>
  </StrictMode>,
)
