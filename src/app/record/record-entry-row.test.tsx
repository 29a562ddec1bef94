import { cleanup, render, screen } from "@testing-library/react"
import { MemoryRouter } from "react-router"
import { afterEach, expect, test } from "vitest"
import type { RecordEntry } from "../../contract/desk-work.ts"
import { RecordEntryRow } from "./record-entry-row.tsx"

afterEach(cleanup)

const base = {
  sequence: 7,
  at: "2026-11-26T10:00:00Z",
  person: { id: "dora", name: "Dora Lind" },
  roles: ["reader"],
  outcome: "recorded",
  hash: "sha256:0",
} as const

const entry: RecordEntry = {
  ...base,
  operation: "setAway",
  about: { id: "ben", name: "Ben Okafor" },
  stand_in: { id: "ada", name: "Ada Lovelace" },
  from: "2026-11-27T08:00:00Z",
  until: "2026-11-30T08:00:00Z",
}

function show(shown: RecordEntry) {
  const row = <RecordEntryRow row="7" entry={shown} isChosen isOpen onChoose={() => {}} onToggle={() => {}} />
  render(row, { wrapper: MemoryRouter })
}

test("an absence says who set it, for whom, from when until when, and who stands in", () => {
  show(entry)
  expect(screen.getByText("Dora Lind", { selector: "summary *" })).toBeDefined()
  expect(screen.getByText("set an absence for")).toBeDefined()
  expect(screen.getByText("Ben Okafor", { selector: "summary *" })).toBeDefined()
  const facts = screen.getAllByRole("term").map((term) => [term.textContent, term.nextElementSibling?.textContent])
  expect(facts).toContainEqual(["Absence of", "Ben Okafor, ben"])
  expect(facts).toContainEqual(["Stand-in", "Ada Lovelace, ada"])
  expect(facts.filter(([name]) => name === "From" || name === "Until")).toEqual([
    ["From", expect.stringContaining("2026")],
    ["Until", expect.stringContaining("2026")],
  ])
})

test("the end of an absence says so, and an absence without a stand-in names none", () => {
  show({ ...entry, stand_in: null, from: null, until: null })
  expect(screen.getByText("ended the absence of")).toBeDefined()
  expect(screen.queryByText("Stand-in")).toBeNull()
  cleanup()
  show({ ...entry, stand_in: null })
  expect(screen.getByText("Stand-in").nextElementSibling?.textContent).toBe("Nobody")
})

test("a freeze names the colleague and the reason, and its end the colleague", () => {
  show({ ...base, operation: "freeze", colleague: "metronome", summary: "It beats in a loop" })
  expect(screen.getByText("froze a colleague")).toBeDefined()
  expect(screen.getByText("metronome: It beats in a loop", { selector: "summary *" })).toBeDefined()
  cleanup()
  show({ ...base, operation: "unfreeze", colleague: "metronome" })
  expect(screen.getByText("unfroze a colleague")).toBeDefined()
  expect(screen.getByText("metronome", { selector: "summary *" })).toBeDefined()
})

test("a decision names how many others were sent together, what its rules are, and a hostile time as it is", () => {
  const decision = { ...base, operation: "resolveWorkApproval", decision: "approve", together: "6f0d" } as const
  show({ ...decision, together_others: 8, rules: [{ destination: "*@bank.example", colleague: "analyst" }, {}] })
  expect(screen.getByText("approved with 8 others")).toBeDefined()
  const [first, second] = [...(screen.getByText("Rules").nextElementSibling?.children ?? [])]
  expect([first?.textContent, second?.textContent]).toEqual([
    "destination *@bank.example, colleague analyst",
    "every approval",
  ])
  cleanup()
  show({ ...decision, together_others: 1, rules: [], asked_at: "\u202Eyadretsey" })
  expect(screen.getByText("approved with 1 other")).toBeDefined()
  expect(screen.getByText("Rules").nextElementSibling?.textContent).toBe("None")
  expect(screen.getByText("Asked").nextElementSibling?.textContent).toContain("U+202E")
  cleanup()
  show({ ...decision, together_others: 0 })
  expect(screen.getByText("approved")).toBeDefined()
  expect(screen.queryByText("Rules")).toBeNull()
})
