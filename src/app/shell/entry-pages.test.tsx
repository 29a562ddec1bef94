import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { cleanup, render, screen } from "@testing-library/react"
import type { ReactNode } from "react"
import { MemoryRouter } from "react-router"
import { afterEach, expect, test, vi } from "vitest"
import type { SignedIn } from "../../contract/desk-people.ts"
import { NoRole, SignIn } from "./entry-pages.tsx"

afterEach(cleanup)

test.each([
  ["/", undefined],
  ["/work", undefined],
  ["/approvals?item=apr_1", "You'll continue to Approvals."],
  ["/work/work_1", "You'll continue to the page you asked for."],
])("the sign-in page at %s says where it goes on, in words: %s", (address, words) => {
  render(
    <MemoryRouter initialEntries={[address]}>
      <SignIn />
    </MemoryRouter>,
  )
  const text = screen.getByRole("main").textContent
  expect(text).not.toContain("/")
  if (words === undefined) expect(text).not.toContain("Next page")
  else expect(text).toContain(words)
})

test("the focus goes along when the app takes the place of the page without a role", async () => {
  const session: SignedIn = {
    mode: "sign-in",
    person: { id: "ada", name: "Ada Lovelace", roles: [], operations: [] },
    upstream: "embedded",
    colleagues: [],
    version: "1.0.0",
    contact: null,
    ends_at: null,
    teams: [],
    has_overseers: false,
  }
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={new QueryClient()}>{children}</QueryClientProvider>
  )
  const { rerender } = render(<NoRole session={session} />, { wrapper })
  screen.getAllByRole("button")[0]?.focus()
  rerender(<main tabIndex={-1}>The app</main>)
  await vi.waitFor(() => expect(document.activeElement?.tagName).toBe("MAIN"))
})
