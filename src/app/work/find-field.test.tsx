import { cleanup, fireEvent, render, screen } from "@testing-library/react"
import { createRef } from "react"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { FindField } from "./find-field.tsx"

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

function typeWords(onWords: (words: string) => void) {
  const field = createRef<HTMLInputElement>()
  const page = render(<FindField field={field} words="" onWords={onWords} onEnter={() => {}} />)
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

test("a person who leaves the list before the pause ends is not taken back to it", () => {
  const search = vi.fn<(words: string) => void>()
  typeWords(search).unmount()
  vi.advanceTimersByTime(1_000)
  expect(search).not.toHaveBeenCalled()
})
