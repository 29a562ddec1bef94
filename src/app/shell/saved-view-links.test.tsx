import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { cleanup, fireEvent, render, screen } from "@testing-library/react"
import { MemoryRouter } from "react-router"
import { afterEach, expect, test } from "vitest"
import { setOwner } from "../client/storage.ts"
import { SavedViewLinks } from "./saved-view-links.tsx"

afterEach(cleanup)
setOwner("local")

test("the focus is on the view that was renamed", async () => {
  const client = new QueryClient()
  const menu = (names: readonly string[]) => (
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <SavedViewLinks views={names.map((name) => ({ name, query: "q=close" }))} />
      </MemoryRouter>
    </QueryClientProvider>
  )
  const { rerender } = render(menu(["April close", "May close", "June close"]))
  const button = screen.getByRole("button", { name: "Rename May close" })
  button.focus()
  fireEvent.click(button)
  expect(document.activeElement?.tagName).toBe("INPUT")
  // The menu has the new name before the dialog closes.
  rerender(menu(["April close", "Summer close", "June close"]))
  fireEvent.click(screen.getByRole("button", { name: "Cancel", hidden: true }))
  expect(document.activeElement?.textContent).toBe("Summer close")
})
