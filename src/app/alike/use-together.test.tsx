import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { act, cleanup, renderHook } from "@testing-library/react"
import { isValidElement, type ReactNode } from "react"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import type { RowFacts } from "./row-choice.ts"
import { useTogether } from "./use-together.tsx"
import { parseJson } from "../../contract/int64.ts"
import { fakeApproval } from "../../desk/watcher/testing/simulation.ts"
import { readApproval } from "../client/check-resource.ts"
import { readSession } from "../client/session.ts"
import { setOwner } from "../client/storage.ts"
import { approvalIntents, approvalSnapshots } from "../inbox/item-entries.ts"

const client = new QueryClient()
const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={client}>{children}</QueryClientProvider>
)
const LOCAL = {
  mode: "local",
  person: { id: "local", name: "local", roles: [], operations: ["resolveWorkApproval"] },
  teams: [],
  contact: null,
  ends_at: null,
  version: "1",
}

type Sent = { readonly url: string; readonly headers: Headers; readonly body: unknown }
let sent: Sent[] = []
/** How the desk answers decisions, in order. Without an answer it confirms them. */
let answers: (() => Response | Promise<Response>)[] = []

beforeEach(async () => {
  localStorage.clear()
  setOwner("local")
  sent = []
  answers = []
  const request = (_name: string, { ifAvailable }: LockOptions, work: (lock: object) => Promise<void>) =>
    ifAvailable === true ? work({}) : new Promise(() => undefined)
  vi.stubGlobal("navigator", { onLine: true, locks: { request } })
  vi.stubGlobal("fetch", async (input: Request | string) => {
    if (!(input instanceof Request)) return Response.json(LOCAL)
    const { url, headers } = input
    sent.push({ url, headers, body: await input.clone().json() })
    const [, id = ""] = /approvals\/(\w+)\//.exec(url) ?? []
    const resolved = fakeApproval(id, { version: 8, status: "approved" })
    return answers.shift()?.() ?? Response.json(resolved)
  })
  await readSession()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const letter = (id: string, more: object = {}) =>
  readApproval(parseJson(JSON.stringify(fakeApproval(id, more)))) ?? expect.unreachable()

const row = (key: string, more: Partial<RowFacts> = {}): RowFacts => ({
  key,
  id: ["w", key],
  shown: letter(key),
  latest: letter(key),
  isSeen: true,
  context: {
    kind: "read",
    context: {
      known: { approvals: 1, since: null, complete: true },
      destination: { first: false, approved: 1, declined: 0, history: [] },
      look_alikes: [],
      first_of_colleague: false,
      same_elsewhere: [],
    },
  },
  team: { needs_you: true },
  whyFrozen: undefined,
  missingRole: undefined,
  ...more,
})

const SHOWN = { isIntact: true, isOffered: true, onDecided: () => undefined }
type Props = { rows: readonly RowFacts[]; options?: typeof SHOWN }

function open(rows: readonly RowFacts[]) {
  const initialProps: Props = { rows }
  const hook = renderHook(({ rows, options = SHOWN }: Props) => useTogether(rows, options), { wrapper, initialProps })
  const { result, rerender } = hook
  return {
    ...hook,
    show: (next: readonly RowFacts[], options = SHOWN) => rerender({ rows: next, options }),
    toggle: (key: string) => act(() => result.current.toggle(key)),
    /** Opens the dialog, and returns what its button does. */
    ask: (decision: "approve" | "decline" = "approve") => {
      act(() => result.current.ask(decision))
      const { dialog } = result.current
      if (!isValidElement<{ onConfirm: () => void; onClose: () => void }>(dialog)) return expect.unreachable()
      const { onConfirm, onClose } = dialog.props
      return () =>
        act(() => {
          onClose()
          onConfirm()
        })
    },
    ended: () => vi.waitFor(() => expect(result.current.run).toBeUndefined()),
    kinds: () => rows.map(({ key }) => result.current.stateOf(key).kind),
  }
}

const problem =
  (status: number, code: string, detail = "No.") =>
  () =>
    new Response(
      JSON.stringify({
        type: "about:blank",
        title: "No",
        status,
        detail,
        instance: "x",
        code,
        request_id: "r",
        retryable: false,
      }),
      {
        status,
        headers: { "content-type": "application/problem+json" },
      },
    )

test("nothing is chosen at first, and only rows that can be chosen are", () => {
  const { result, toggle, kinds } = open([row("a"), row("b", { isSeen: false }), row("c")])
  expect(kinds()).toEqual(["free", "blocked", "free"])
  expect(result.current.whyNot).toBe("Choose letters first.")
  toggle("b")
  expect(result.current.chosen).toEqual([])
  toggle("c")
  act(() => result.current.chooseAllSeen())
  expect(result.current.chosen).toEqual(["a", "c"])
  toggle("a")
  expect(result.current.chosen).toEqual(["c"])
})

test("the choice of a row that changed goes and does not come back by itself", () => {
  const { result, show, toggle } = open([row("a"), row("b")])
  toggle("a")
  toggle("b")
  const emil = { id: "emil", name: "Emil" }
  const assignment = { to: { person: emil }, by: emil, at: "2026-11-21T10:00:00Z", etag: "1" }
  show([row("a", { team: { needs_you: true, assignment } }), row("b", { latest: letter("b", { version: 2 }) })])
  expect(result.current.stateOf("a")).toEqual({
    kind: "changed",
    what: "No longer chosen. Taken by Emil",
    canChoose: false,
  })
  expect(result.current.stateOf("b")).toMatchObject({ what: "No longer chosen. Version 2 has come" })
  show([row("a"), row("b", { latest: letter("b", { version: 2 }) })])
  expect(result.current.chosen).toEqual([])
  expect(result.current.stateOf("a")).toMatchObject({ what: "No longer chosen. Taken by Emil", canChoose: true })
  toggle("a")
  toggle("b")
  expect(result.current.chosen).toEqual(["a"])
})

test("each decision has its own key and version and all have one id", async () => {
  const rows = [
    row("a", { shown: letter("a", { version: 7 }), latest: letter("a", { version: 7 }) }),
    row("b"),
    row("c"),
  ]
  const { result, ask, ended, toggle, kinds } = open(rows)
  toggle("a")
  toggle("b")
  ask()()
  expect(result.current.run).toMatchObject({ of: 2, decision: "approve" })
  expect(result.current.whyNot).toBe("Decisions are being sent.")
  await ended()
  expect(sent.map(({ url }) => url.replace(/^.*work/, ""))).toEqual([
    "/w/approvals/a/resolve",
    "/w/approvals/b/resolve",
  ])
  expect(sent.map(({ headers }) => headers.get("if-match"))).toEqual(['"7"', '"1"'])
  expect(sent.map(({ body }) => body)).toEqual([{ decision: "approve" }, { decision: "approve" }])
  const [ids, keys] = ["desk-together", "idempotency-key"].map(
    (name) => new Set(sent.map(({ headers }) => headers.get(name))),
  )
  expect([ids?.size, keys?.size]).toEqual([1, 2])
  expect([...(ids ?? [])][0]).toMatch(/^[0-9a-f]{8}-/)
  expect(kinds()).toEqual(["done", "done", "free"])
  expect(approvalIntents("w", "b").read()).toMatchObject({ state: "confirmed" })
  expect(approvalSnapshots("w", "b").read()).toBeUndefined()
})

test("a row that changes between the click and its turn is not sent, and the others are", async () => {
  const first = Promise.withResolvers<Response>()
  answers = [() => first.promise]
  const rows = [row("a"), row("b"), row("c")]
  const { result, ask, ended, show, kinds } = open(rows)
  act(() => result.current.chooseAllSeen())
  ask()()
  await vi.waitFor(() => expect(sent).toHaveLength(1))
  expect(kinds()).toEqual(["sending", "waiting", "waiting"])
  show([row("a"), row("b", { latest: letter("b", { version: 2 }) }), row("c")])
  first.resolve(Response.json(fakeApproval("a", { version: 2, status: "approved" })))
  await ended()
  expect(sent.map(({ url }) => /approvals\/(\w)/.exec(url)?.[1])).toEqual(["a", "c"])
  expect(kinds()).toEqual(["done", "changed", "done"])
})

test("a refusal stops no other, and three in a row from outside the items stop the rest, which stay chosen", async () => {
  const busy = problem(429, "RATE_LIMITED")
  answers = [problem(409, "CONFLICT"), busy, busy, busy]
  const rows = ["a", "b", "c", "d", "e", "f"].map((key) => row(key))
  const { result, ask, ended, kinds } = open(rows)
  act(() => result.current.chooseAllSeen())
  ask("decline")()
  await ended()
  expect(kinds()).toEqual(["refused", "refused", "refused", "refused", "chosen", "chosen"])
  expect(result.current.stateOf("a")).toEqual({ kind: "refused", why: "It was decided elsewhere.", canChoose: false })
  expect(result.current.stateOf("b")).toMatchObject({ canChoose: true })
  expect(result.current.stopped).toBe("Too many requests in a short time. The rest was not sent and stays chosen.")
  expect(result.current.chosen).toEqual(["e", "f"])
  act(() => result.current.chooseAllSeen())
  expect(result.current.chosen).toEqual(["b", "c", "d", "e", "f"])
})

test("an unknown outcome can't be chosen again, and is not taken for a refusal", async () => {
  answers = [() => Promise.reject(new TypeError("gone"))]
  const { result, ask, ended, toggle, kinds } = open([row("a"), row("b")])
  act(() => result.current.chooseAllSeen())
  ask()()
  await ended()
  expect(kinds()).toEqual(["unknown", "done"])
  toggle("a")
  expect(result.current.chosen).toEqual([])
})

test("an approve that the desk keeps is neither done nor refused", async () => {
  answers = [() => Response.json({ needed: 2, given: [] }, { status: 202 })]
  const { result, ask, ended, kinds } = open([row("a")])
  act(() => result.current.chooseAllSeen())
  ask()()
  await ended()
  expect(kinds()).toEqual(["held"])
})

test.each<[what: string, change: (rows: readonly RowFacts[]) => Props, why: string]>([
  [
    "a freeze",
    (rows) => ({ rows: rows.map((each) => ({ ...each, whyFrozen: "Ada has frozen this desk." })) }),
    "Ada has frozen this desk.",
  ],
  ["a narrow window", (rows) => ({ rows, options: { ...SHOWN, isOffered: false } }), "This window is too narrow."],
  ["a translated page", (rows) => ({ rows, options: { ...SHOWN, isIntact: false } }), "Your browser"],
])("%s stops the rest, which stays chosen", async (_, change, why) => {
  const first = Promise.withResolvers<Response>()
  answers = [() => first.promise]
  const rows = [row("a"), row("b")]
  const { result, ask, ended, show } = open(rows)
  act(() => result.current.chooseAllSeen())
  ask()()
  await vi.waitFor(() => expect(sent).toHaveLength(1))
  const changed = change(rows)
  show(changed.rows, changed.options)
  first.resolve(Response.json(fakeApproval("a", { version: 2, status: "approved" })))
  await ended()
  expect(sent).toHaveLength(1)
  expect(result.current.stopped).toContain(why)
  expect(result.current.chosen).toEqual(["b"])
  expect(result.current.whyNot).toContain(why)
})

test("after the card has gone, nothing more is sent", async () => {
  const first = Promise.withResolvers<Response>()
  answers = [() => first.promise]
  const { result, ask, unmount } = open([row("a"), row("b")])
  act(() => result.current.chooseAllSeen())
  ask()()
  await vi.waitFor(() => expect(sent).toHaveLength(1))
  unmount()
  first.resolve(Response.json(fakeApproval("a", { version: 2, status: "approved" })))
  await vi.waitFor(() => expect(approvalIntents("w", "a").read()).toMatchObject({ state: "confirmed" }))
  await new Promise((resolve) => setTimeout(resolve))
  await new Promise((resolve) => setTimeout(resolve))
  expect(sent).toHaveLength(1)
})
