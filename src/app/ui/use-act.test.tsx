import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { act, cleanup, renderHook } from "@testing-library/react"
import type { ReactNode } from "react"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { DeskError } from "../client/desk-error.ts"
import { useAct } from "./use-act.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds))

test("a write sends what the person saw, once, and only when its button acts", async () => {
  const client = new QueryClient()
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  )
  const sending = Promise.withResolvers<string>()
  const write = vi.fn<(saw: string, input: string) => Promise<string>>().mockReturnValueOnce(sending.promise)
  const onDone = vi.fn<(result: string) => void>()
  const { result, rerender } = renderHook(({ saw }) => useAct(saw, write, { onDone }), {
    wrapper,
    initialProps: { saw: "version 1" },
  })
  await act(async () => result.current.act("too early"))
  expect(write).not.toHaveBeenCalled()
  await pass(500)
  await act(async () => result.current.act("first"))
  await pass(0)
  expect(write.mock.calls).toEqual([["version 1", "first"]])
  expect(result.current).toMatchObject({ isPending: true, isArmed: false, sent: "first" })
  rerender({ saw: "version 2" })
  await pass(1_000)
  await act(async () => result.current.act("while it is sent"))
  sending.resolve("done")
  await pass(0)
  expect(onDone).toHaveBeenCalledWith("done")
  expect(result.current).toMatchObject({ isPending: false, isArmed: false, result: "done" })
  await pass(500)
  write.mockRejectedValueOnce(new DeskError({ kind: "problem", title: "No", detail: "No.", status: 412 }))
  await act(async () => result.current.act("second"))
  await pass(0)
  expect(write.mock.calls.at(-1)).toEqual(["version 2", "second"])
  expect(write).toHaveBeenCalledTimes(2)
  expect(result.current.error).toMatchObject({ status: 412 })
  await act(async () => result.current.clear())
  await pass(0)
  expect(result.current.error).toBeNull()
})

test("a write that is not ready does not act", async () => {
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={new QueryClient()}>{children}</QueryClientProvider>
  )
  const write = vi.fn<(saw: string) => Promise<void>>().mockResolvedValue()
  const { result } = renderHook(() => useAct<void>("version 1", write, { ready: false }), { wrapper })
  await pass(1_000)
  await act(async () => result.current.act())
  expect(write).not.toHaveBeenCalled()
})
