import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { act, cleanup, renderHook } from "@testing-library/react"
import type { ReactNode } from "react"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { parseJson } from "../../contract/int64.ts"
import { fakeApproval } from "../../desk/watcher/testing/simulation.ts"
import { readApproval } from "../client/check-resource.ts"
import { DeskError } from "../client/desk-error.ts"
import { setOwner } from "../client/storage.ts"
import { approvalVariant } from "../approvals/approval.ts"
import { useDecision } from "./use-decision.ts"

const client = new QueryClient()
const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={client}>{children}</QueryClientProvider>
)

beforeEach(() => {
  setOwner("ada")
  // happy-dom has no locks. A request that waits for the lock never gets it here, because the page that sends holds the lock.
  const request = (_name: string, { ifAvailable }: LockOptions, work: (lock: object) => Promise<void>) =>
    ifAvailable === true ? work({}) : new Promise(() => undefined)
  vi.stubGlobal("navigator", { onLine: true, locks: { request } })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test("an approve that the desk keeps is done, and a refused decline of the same approval is not", async () => {
  const latest = readApproval(parseJson(JSON.stringify(fakeApproval("held-then-declined", {})))) ?? expect.unreachable()
  type Answer = Awaited<ReturnType<typeof approvalVariant.send>>
  const [approve, decline] = [Promise.withResolvers<Answer>(), Promise.withResolvers<Answer>()]
  const send = vi
    .fn<typeof approvalVariant.send>()
    .mockReturnValueOnce(approve.promise)
    .mockReturnValueOnce(decline.promise)
  const onDone = vi.fn<() => void>()
  const { result } = renderHook(
    () =>
      useDecision(
        { ...approvalVariant, send },
        [latest.work_id, latest.id],
        { latest, isListRead: true, readAt: 0 },
        onDone,
      ),
    { wrapper },
  )
  const decide = async (decision: "approve" | "decline") => {
    const { current } = result
    if (current.kind !== "open") return expect.unreachable()
    await act(async () => current.decide({ version: latest.version, text: "", decision }))
    expect(result.current).toMatchObject({ intent: { state: "sending" } })
  }
  await decide("approve")
  await act(async () => approve.resolve({ held: { needed: 2, given: [] } }))
  expect(onDone).toHaveBeenCalledTimes(1)
  await decide("decline")
  await act(async () => decline.reject(new DeskError({ kind: "problem", title: "No", detail: "No.", status: 403 })))
  expect(result.current).toMatchObject({ intent: { state: "refused" } })
  expect(onDone).toHaveBeenCalledTimes(1)
})
