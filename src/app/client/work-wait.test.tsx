import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { cleanup, renderHook } from "@testing-library/react"
import type { ReactNode } from "react"
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest"
import type { SignedIn } from "../../contract/desk-people.ts"
import { parseJson } from "../../contract/int64.ts"
import { fakeApproval, fakeClarification, fakeWork, workJson } from "../../desk/watcher/testing/simulation.ts"

// A session would stay for the next test file: a page never changes its person.
vi.resetModules()
afterAll(() => vi.resetModules())
const { readSession } = await import("./session.ts")
const { isWaiting, toWaiting } = await import("./waiting.ts")
const { writeWaiting } = await import("./write-waiting.ts")
const { useWaitWords, useWorkWait } = await import("./work-wait.ts")

const client = new QueryClient()
const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={client}>{children}</QueryClientProvider>
)

beforeEach(async () => {
  const session: SignedIn = {
    mode: "sign-in",
    person: { id: "ada", name: "Ada", roles: ["reader"], operations: [] },
    upstream: "embedded",
    colleagues: [],
    version: "1.0.0",
    contact: null,
    ends_at: null,
    teams: [],
    has_overseers: false,
  }
  vi.stubGlobal("fetch", async () => Response.json(session))
  await readSession()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

type Entries = { readonly attention?: readonly object[]; readonly approvals?: readonly object[] }

/** What the list says about the Work `w1` with these pending items. */
function saidOf({ attention = [], approvals = [] }: Entries, status = "needs_you") {
  const counts = {
    checked: 1,
    total: 1,
    complete: true,
    oldest_check_at: null,
    needs_you: { attention: 0, approvals: 0 },
  }
  const answer = parseJson(JSON.stringify({ attention, approvals, ...counts }))
  writeWaiting(client, { waiting: isWaiting(answer) ? toWaiting(answer) : expect.unreachable(), error: undefined })
  const shown = { id: "w1", status }
  const { result } = renderHook(() => [useWorkWait(shown), useWaitWords(shown)] as const, { wrapper })
  return result.current
}

const work = workJson(fakeWork("w1", 1))
const question = { work, item: fakeClarification("question-of-w1", { title: "Which column?" }) }
const approval = { work, item: fakeApproval("approval-of-w1", { summary: "Send it" }) }
const needed = { needs_you: true }

test("a Work needs the person only if one of its items does, and names that item", () => {
  expect(saidOf({ attention: [question] })).toEqual(["answer", "Asked: Which column?"])
  expect(saidOf({ approvals: [approval] })).toEqual(["decision", "Approve: Send it"])
  expect(saidOf({ attention: [question], approvals: [approval] })).toEqual(["decision", "Asked: Which column?"])
  expect(saidOf({ attention: [question], approvals: [{ ...approval, ...needed }] })).toEqual([
    "you",
    "Approve: Send it",
  ])
  expect(saidOf({ attention: [{ ...question, ...needed }], approvals: [approval] })).toEqual([
    "you",
    "Asked: Which column?",
  ])
})

test("a Work without a known item waits for a decision, and a Work that works waits for nothing", () => {
  expect(saidOf({})).toEqual(["decision", undefined])
  expect(saidOf({ approvals: [approval] }, "working")).toEqual([undefined, undefined])
})
