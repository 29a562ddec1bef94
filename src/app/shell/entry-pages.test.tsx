import { cleanup, render, screen } from "@testing-library/react"
import { MemoryRouter } from "react-router"
import { afterEach, expect, test } from "vitest"
import { SignIn } from "./entry-pages.tsx"

afterEach(cleanup)

test.each([
  ["/", undefined],
  ["/work", undefined],
  ["/approvals?item=apr_1", "You will go on to the page “Approvals”."],
  ["/work/work_1", "You will go on to the page that you asked for."],
])("the sign-in page at %s says where it goes on, in words: %s", (address, words) => {
  render(
    <MemoryRouter initialEntries={[address]}>
      <SignIn />
    </MemoryRouter>,
  )
  const text = screen.getByRole("main").textContent
  expect(text).not.toContain("/")
  if (words === undefined) expect(text).not.toContain("go on")
  else expect(text).toContain(words)
})
