import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { cleanup, render, screen } from "@testing-library/react"
import { diffWordsWithSpace } from "diff"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import type { Approval } from "../../contract/resources.ts"
import { approvalsOptions } from "../client/work-reads.ts"
import { DeclinedLetter } from "./declined-letter.tsx"

vi.mock("diff", async (load) => {
  const diff = await load<typeof import("diff")>()
  return { ...diff, diffWordsWithSpace: vi.fn(diff.diffWordsWithSpace) }
})

beforeEach(() => void vi.mocked(diffWordsWithSpace).mockClear())
afterEach(cleanup)

const letter = (body: string, more: object = {}) =>
  ({ id: "declined", destination: "a@halden.example", subject: "Hello", body, ...more }) as Approval

/** Shows a letter beside a declined one, and returns a function that renders both again. */
function compare(declined: Approval, item: Approval): () => void {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(approvalsOptions("work_1").queryKey, [declined])
  const view = () => (
    <QueryClientProvider client={client}>
      <DeclinedLetter item={item} declined={["work_1", "declined"]} onClose={() => undefined} />
    </QueryClientProvider>
  )
  const { rerender } = render(view())
  return () => rerender(view())
}

const words = (count: number, letters: string) =>
  Array.from({ length: count }, (_, at) => letters + String(at)).join(" ")
const marks = () => document.querySelectorAll("ins, del").length

test("letters are compared once, however often the card is drawn again", () => {
  const draw = compare(letter("Dear Ana"), letter("Dear Ben"))
  expect(marks()).toBe(2)
  draw()
  expect(diffWordsWithSpace).toHaveBeenCalledOnce()
})

test("two letters with nothing in common are shown whole and without marks, before the comparison takes long", () => {
  compare(letter(words(300, "a")), letter(words(300, "b")))
  expect(marks()).toBe(0)
  expect(document.body.textContent).toContain("a299")
  expect(document.body.textContent).toContain("b299")
})

test("a malformed declined letter is not shown as an empty one", () => {
  compare(letter("", { unread: "malformed" }), letter("Dear Ben"))
  expect(screen.getByText("The declined letter is no longer available.")).toBeDefined()
  expect(marks()).toBe(0)
})
