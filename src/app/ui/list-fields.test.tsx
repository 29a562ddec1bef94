import { cleanup, fireEvent, render, screen } from "@testing-library/react"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { FindField } from "./list-fields.tsx"

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const field = (words: string, onWords: (words: string) => void, onEnter = () => {}) => (
  <FindField name="Find" words={words} pauseMs={200} onWords={onWords} onEnter={onEnter} />
)

function typeWords(onWords: (words: string) => void) {
  const page = render(field("", onWords))
  fireEvent.change(screen.getByRole("searchbox", { name: "Find" }), { target: { value: "inv" } })
  return page
}

test("the words are searched for once, after a pause in typing", () => {
  const search = vi.fn<(words: string) => void>()
  typeWords(search)
  expect(search).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1_000)
  expect(search.mock.calls).toEqual([["inv"]])
})

test("Enter searches at once, and leads to the first row of what it finds", () => {
  const search = vi.fn<(words: string) => void>()
  const enter = vi.fn<() => void>()
  const show = (words: string) => field(words, search, enter)
  const page = render(show(""))
  const box = screen.getByRole("searchbox", { name: "Find" })
  fireEvent.change(box, { target: { value: "inv" } })
  fireEvent.keyDown(box, { key: "Enter" })
  fireEvent.keyDown(box, { key: "Enter" })
  expect(search.mock.calls).toEqual([["inv"]])
  expect(enter, "the rows are still those of the older words").not.toHaveBeenCalled()
  page.rerender(show("inv"))
  fireEvent.keyDown(box, { key: "Enter" })
  expect(enter).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1_000)
  expect(search).toHaveBeenCalledTimes(1)
})

test("the words are added to the address as it is when they are searched for", () => {
  const before = vi.fn<(words: string) => void>()
  const after = vi.fn<(words: string) => void>()
  const page = typeWords(before)
  page.rerender(field("", after))
  vi.advanceTimersByTime(1_000)
  expect(before).not.toHaveBeenCalled()
  expect(after.mock.calls).toEqual([["inv"]])
})

test("a person who leaves the list before the pause ends is not taken back to it", () => {
  const search = vi.fn<(words: string) => void>()
  typeWords(search).unmount()
  vi.advanceTimersByTime(1_000)
  expect(search).not.toHaveBeenCalled()
})
