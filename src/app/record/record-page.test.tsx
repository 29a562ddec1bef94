import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { cleanup, render, screen } from "@testing-library/react"
import { MemoryRouter } from "react-router"
import { afterEach, expect, test, vi } from "vitest"
import RecordPage from "./record-page.tsx"

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test.each([true, false])(
  "where the desk's answer has complete: %s, the page says whether entries are missing",
  async (complete) => {
    vi.stubGlobal("fetch", async () => Response.json({ data: [], complete }))
    render(
      <QueryClientProvider client={new QueryClient()}>
        <MemoryRouter>
          <RecordPage />
        </MemoryRouter>
      </QueryClientProvider>,
    )
    await screen.findByText(complete ? "The record is empty" : /^Some entries are missing/)
    expect(screen.queryByText(complete ? /^Some entries are missing/ : "The record is empty")).toBeNull()
  },
)
