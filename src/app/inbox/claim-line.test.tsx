import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { act, cleanup, render } from "@testing-library/react"
import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest"
import type { Approval, Work } from "../../contract/resources.ts"
import { setOwner } from "../client/storage.ts"
import { writeWaiting } from "../client/write-waiting.ts"
import { ClaimLine } from "./claim-line.tsx"
import { draftOf } from "./item-entries.ts"
import {
  formatApprovals,
  formatAssignment,
  formatAway,
  formatDecideBy,
  formatLooking,
  formatMissing,
} from "./claim-words.ts"
import { formatClock } from "../ui/time-words.ts"
import { asideChoices, formatPerson } from "./claim-dialogs.tsx"

beforeEach(() => setOwner("ada"))

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

test("an item that came back is marked as seen when somebody sees it, and not in a hidden tab", async () => {
  const sent: string[] = []
  vi.stubGlobal("fetch", async ({ method, url }: Request) => {
    const { pathname } = new URL(url)
    // Where a test before this one has signed somebody in, the card also tells the desk who looks.
    if (pathname !== "/desk/presence") sent.push(`${method} ${pathname}`)
    return Response.json({ aside: null })
  })
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true)
  const client = new QueryClient()
  const work = { id: "work_1" } as Work
  const item = { id: "approval_1", work_id: "work_1", version: 1n } as Approval
  const counts = { checked: 1, total: 1, oldest_check_at: null, complete: true }
  const waiting = { clarifications: [], approvals: [{ work, item, back: true as const }], ...counts }
  writeWaiting(client, { waiting, error: undefined })
  render(
    <QueryClientProvider client={client}>
      <ClaimLine
        kind="approval"
        id={["work_1", "approval_1"]}
        version={1n}
        draft={draftOf("approval", "work_1", "approval_1")}
        current
        hasLines
        onAside={undefined}
      />
    </QueryClientProvider>,
  )
  await act(async () => undefined)
  expect(sent).toEqual([])
  hidden.mockReturnValue(false)
  act(() => void document.dispatchEvent(new Event("visibilitychange")))
  await vi.waitFor(() => expect(sent).toEqual(["PUT /desk/aside"]))
})

const NOW = new Date(2026, 10, 23, 10, 30).getTime()
const minutes = (count: number) => new Date(NOW + count * 60_000).toISOString()
const ada = { id: "ada", name: "Ada Lovelace" }
const ben = { id: "ben", name: "Ben" }

test.each([
  [{ to: { person: ada }, by: ada, at: minutes(-5) }, "Taken by Ada Lovelace 5 min ago"],
  [
    { to: { team: "Finance" }, by: ben, at: minutes(-5), note: "Please" },
    "Handed to Finance by Ben 5 min ago: “Please”",
  ],
  [{ to: { person: { id: "me", name: "Me" } }, by: ben, at: minutes(-5) }, "Handed to you by Ben 5 min ago"],
  [{ to: { person: ada }, by: ben, at: minutes(-5) }, "Handed to Ada Lovelace by Ben 5 min ago"],
  [{ to: { person: ben }, by: ben, at: minutes(-5), note: "My supplier" }, "Taken by Ben 5 min ago: “My supplier”"],
])("an assignment reads %#", (assignment, words) => {
  expect(formatAssignment({ ...assignment, etag: "" }, "me", NOW)).toBe(words)
})

test("who is away, and who stands in", () => {
  const until = new Date(2026, 10, 28, 9).toISOString()
  const given = (stand_in: typeof ben | null) => ({
    to: { person: { ...ada, away: { until, stand_in } } },
    by: ben,
    at: minutes(-5),
    etag: "",
  })
  expect(formatAway(given(ben), NOW)).toBe("Ada Lovelace is away until Saturday; Ben stands in")
  expect(formatAway(given(null), NOW)).toBe("Ada Lovelace is away until Saturday")
  expect(formatAway({ ...given(null), to: { person: ada } }, NOW)).toBeUndefined()
  expect(formatAway({ ...given(null), to: { team: "Finance" } }, NOW)).toBeUndefined()
  expect(formatPerson(given(ben).to.person, NOW)).toBe("Ada Lovelace, away until Saturday")
  expect(formatPerson(ada, NOW)).toBe("Ada Lovelace")
})

test("who looks, and who types", () => {
  expect(formatLooking({ ...ada, doing: "reading" }, "answer")).toBe("Ada Lovelace is looking at this")
  expect(formatLooking({ ...ada, doing: "writing" }, "answer")).toBe("Ada Lovelace is writing an answer")
  expect(formatLooking({ ...ada, doing: "writing" }, "comment")).toBe("Ada Lovelace is writing a comment")
})

test("how many have approved, and how many are missing", () => {
  const given = [{ person: ada, at: minutes(-5) }]
  expect(formatApprovals({ needed: 2, given }, NOW)).toBe("1 of 2 approvals: Ada Lovelace, 5 min ago")
  expect(formatApprovals({ needed: 3, given: [] }, NOW)).toBe("0 of 3 approvals")
  expect(formatMissing({ needed: 2, given })).toBe("One more approval is needed")
  expect(formatMissing({ needed: 4, given })).toBe("3 more approvals are needed")
})

test("by when it is to be decided", () => {
  expect(formatDecideBy(minutes(120), NOW)).toBe("Decide by 12:30, in 2 hours")
  expect(formatDecideBy(minutes(-150), NOW)).toBe("Should have been decided 2 hours ago")
  expect(formatDecideBy(minutes(24 * 60), NOW)).toBe(`Decide by ${formatClock(NOW + 86_400_000, NOW)}, in 24 hours`)
})

describe("set aside", () => {
  const names = (options: { isUrgent: boolean; decideBy: number | undefined }, now = NOW) =>
    asideChoices(now, options).choices.map(({ name, until }) => `${name} ${formatClock(until, now)}`)

  it("offers an hour, the next morning and the next Monday", () => {
    expect(names({ isUrgent: false, decideBy: undefined })).toEqual([
      "In an hour 11:30",
      expect.stringMatching(/^Tomorrow, 9:00 .*24.*09:00$/),
      expect.stringMatching(/^Monday, 9:00 .*30.*09:00$/),
    ])
    const sunday = new Date(2026, 10, 29, 23).getTime()
    expect(names({ isUrgent: false, decideBy: undefined }, sunday).at(-1)).toMatch(/^Monday, 9:00 .*30.*09:00$/)
  })

  it("offers nothing after the longest time, or after the time by which it is to be decided", () => {
    expect(names({ isUrgent: true, decideBy: undefined })).toEqual(["In an hour 11:30"])
    expect(names({ isUrgent: false, decideBy: NOW + 30 * 60_000 })).toEqual([])
    expect(asideChoices(NOW, { isUrgent: true, decideBy: undefined }).latest).toBe(NOW + 4 * 3_600_000)
  })
})
