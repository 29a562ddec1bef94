import { act, cleanup, renderHook } from "@testing-library/react"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { useArmed } from "./use-armed.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds))

function renderArmed(cardState: string, ready?: boolean) {
  const initialProps: { readonly cardState: string; readonly ready?: boolean | undefined } = { cardState, ready }
  const { result, rerender } = renderHook((shown) => useArmed(shown.cardState, shown.ready), { initialProps })
  return { isArmed: () => result.current, rerender }
}

test("a button acts after its card has been the same for half a second", async () => {
  const { isArmed, rerender } = renderArmed("one")
  expect(isArmed()).toBe(false)
  await pass(499)
  expect(isArmed()).toBe(false)
  await pass(1)
  expect(isArmed()).toBe(true)
  rerender({ cardState: "two" })
  expect(isArmed()).toBe(false)
  await pass(499)
  rerender({ cardState: "three" })
  await pass(1)
  expect(isArmed()).toBe(false)
  await pass(499)
  expect(isArmed()).toBe(true)
  // What the card showed before is new again.
  rerender({ cardState: "one" })
  await pass(499)
  expect(isArmed()).toBe(false)
})

test("the half second begins when the card is ready", async () => {
  const { isArmed, rerender } = renderArmed("one", false)
  await pass(1_000)
  expect(isArmed()).toBe(false)
  rerender({ cardState: "one", ready: true })
  expect(isArmed()).toBe(false)
  await pass(500)
  expect(isArmed()).toBe(true)
  rerender({ cardState: "one", ready: false })
  expect(isArmed()).toBe(false)
  rerender({ cardState: "one", ready: true })
  expect(isArmed()).toBe(false)
})
