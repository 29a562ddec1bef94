import { QueryClient } from "@tanstack/react-query"
import { afterEach, expect, test, vi } from "vitest"
import { parseJson } from "../../contract/int64.ts"
import { fakeApproval, fakeWork, workJson } from "../../desk/watcher/testing/simulation.ts"
import { readChange, readPermissions, withEqualEntries } from "./waiting-changes.ts"
import { isWaiting, type AnsweredWaiting } from "./waiting.ts"

afterEach(() => vi.unstubAllGlobals())

const copyOf = (value: object) => parseJson(JSON.stringify(value))
const entryOf = (at: number, version = 1) => {
  const created_at = new Date(at * 1_000).toISOString()
  const item = { ...fakeApproval(`a${at}`, { created_at }), work_id: `w${at}`, version }
  return { work: workJson(fakeWork(`w${at}`, at)), item }
}
const figures = { checked: 3, total: 3, complete: true, oldest_check_at: null }

/** An answer in which Works numbered so wait for an approval each. */
function answered(...numbers: number[]): AnsweredWaiting {
  const answer = copyOf({ attention: [], approvals: numbers.map((at) => entryOf(at)), ...figures })
  return { etag: '"1"', answer: isWaiting(answer) ? answer : expect.unreachable() }
}

const changeOf = (approvals: readonly object[], gone: readonly object[] = []) =>
  copyOf({ etag: '"2"', since: '"1"', changed: { attention: [], approvals }, gone, ...figures })

const idsOf = ({ answer }: AnsweredWaiting) => answer.approvals.map(({ item }) => `${item.id} v${item.version}`)

test("a change gives the next answer, in which what did not change stays the same object", () => {
  const before = answered(1, 2, 3)
  const change = changeOf([entryOf(2, 7), entryOf(4)], [{ work: "w1", item: "a1" }])
  const { next } = readChange(before, change) ?? expect.unreachable()
  expect([next.etag, ...idsOf(next)]).toEqual(['"2"', "a2 v7", "a3 v1", "a4 v1"])
  expect(next.answer.approvals[1]).toBe(before.answer.approvals[2])
  expect(next.answer).not.toHaveProperty("since")
})

test("where only the figures change, both lists stay the same objects", () => {
  const before = answered(1, 2)
  const { next } = readChange(before, changeOf([])) ?? expect.unreachable()
  expect(next.answer.approvals).toBe(before.answer.approvals)
  expect(next.answer.attention).toBe(before.answer.attention)
})

test("in a whole answer, what is as before stays the same object", () => {
  const before = answered(1, 2, 3)
  const next = withEqualEntries(before, answered(2, 3, 4))
  expect(next.answer.approvals[0]).toBe(before.answer.approvals[1])
  expect(idsOf(next)).toEqual(["a2 v1", "a3 v1", "a4 v1"])
})

test("roles and rules are read again where an item of the same version begins or ceases to need the person", async () => {
  const session = vi.fn(() => Promise.resolve(Response.json({ mode: "local", person: null })))
  vi.stubGlobal("fetch", session)
  const client = new QueryClient()
  client.setQueryData(["work", "w1", "context", "a1", "1"], {})
  const needing = ({ etag, answer }: AnsweredWaiting, ...ids: readonly string[]): AnsweredWaiting => {
    const marked = answer.approvals.map((entry) =>
      ids.includes(entry.item.id) ? { ...entry, needs_you: true as const } : entry,
    )
    return { etag, answer: { ...answer, approvals: marked } }
  }
  readPermissions(client, needing(answered(1, 2), "a1"), needing(answered(1, 2, 3), "a1", "a3"))
  expect(session).not.toHaveBeenCalled()
  readPermissions(client, needing(answered(1, 2), "a1"), needing(answered(1, 2), "a1", "a2"))
  expect(session).toHaveBeenCalledOnce()
  expect(client.getQueryState(["work", "w1", "context", "a1", "1"])?.isInvalidated).toBe(true)
})
