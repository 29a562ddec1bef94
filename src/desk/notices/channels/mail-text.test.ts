import { expect, test } from "vitest"
import { writeNoticeMail, writeOwnWorkMail } from "./mail-text.ts"
import type { OwnStep } from "../own-work.ts"
import { type ItemForTest, itemForTest } from "../testing/items.ts"

const NOW = Date.parse("2026-11-23T12:00:00Z")
const parts = {
  id: "mail-1",
  to: "ada@example.com",
  from: { name: "Workdesk", address: "desk@example.com" },
  publicUrl: new URL("https://desk.example"),
  now: NOW,
  labelOf: (id: string) => (id === "analyst" ? "Data analyst" : id),
}

function due(itemId: string, facts: ItemForTest = {}, since = NOW - 60_000) {
  return { item: itemForTest(itemId, facts, { since }), steps: ["told"] as const }
}

test("at most 20 items are listed, then the number of the others and the pages that have them", () => {
  const approvals = Array.from({ length: 21 }, (_, index) => due(`a${index}`, {}, NOW - index * 3_600_000))
  const { subject, text } = writeNoticeMail([...approvals, due("q", { kind: "clarification" })], {}, parts)
  expect(subject).toBe("22 items wait for you, the oldest for 20 hours")
  expect(text.match(/^An approval, Data analyst, waiting for /gm)).toHaveLength(20)
  expect(text).toContain("\n2 others:\nhttps://desk.example/approvals\nhttps://desk.example/needs-you\n")
})

test("the subject of own Work is the sentence of its most important step, or how many pieces of Work changed", () => {
  const subjectOf = (...lines: (readonly [OwnStep, workId: string])[]) =>
    writeOwnWorkMail(
      lines.map(([step, workId]) => ({ step, workId })),
      "token",
      parts,
    ).subject
  expect(subjectOf(["own paused", "1"])).toBe("Your Work is paused")
  expect(subjectOf(["own approved", "1"], ["own done", "1"])).toBe("Your Work is done")
  expect(subjectOf(["own approved", "1"], ["own declined", "1"])).toBe("An approval of your Work was declined")
  expect(subjectOf(["own done", "1"], ["own done", "2"])).toBe("2 of your Works changed")
  const { text } = writeOwnWorkMail(
    [
      { step: "own declined", workId: "1" },
      { step: "own done", workId: "1" },
    ],
    "t",
    parts,
  )
  const link = "https://desk.example/work/1"
  expect(text).toContain(`An approval of your Work was declined\n${link}\n\nYour Work is done\n${link}\n\n`)
})

test("labels, priorities and ids from outside stay on their line and in their place", () => {
  const label = `Evil\r\nBcc: eve@example.com\u202E${"x".repeat(10_000)}\ud800`
  const { text, subject } = writeNoticeMail(
    [due("a b/../\r\n?&=\ud800", { colleague: label, priority: "urgent\r\nX: y" })],
    { unsubscribeToken: "token" },
    parts,
  )
  expect(subject).toBe("1 item waits for you")
  const [line = "", link = ""] = text.split("\n")
  expect(line).toMatch(/^An approval, Evil Bcc: eve@example\.com x+…, waiting for 1 minute$/)
  expect(line.length).toBeLessThan(150)
  expect(link).toBe("https://desk.example/approvals?item=a%20b%2F..%2F%0D%0A%3F%26%3D%EF%BF%BD")
})

test.each([
  ["the recipient", { to: "ada@example.com\r\nBcc: eve@example.com" }],
  ["the recipient with a comma", { to: "ada@example.com,eve@example.com" }],
  ["the sender's name", { from: { name: "Desk\nX: y", address: "desk@example.com" } }],
  ["the id", { id: "a\r\nX: y" }],
])("a control character in %s is refused", (_, changed) => {
  expect(() => writeNoticeMail([due("a")], {}, { ...parts, ...changed })).toThrow(TypeError)
})

test("the headers for one click are for https alone", () => {
  const one = writeNoticeMail([due("a")], { unsubscribeToken: "t" }, parts)
  expect(one.unsubscribe).toBe("https://desk.example/desk/notices/unsubscribe?token=t")
  const http = writeNoticeMail(
    [due("a")],
    { unsubscribeToken: "t" },
    { ...parts, publicUrl: new URL("http://localhost:4400") },
  )
  expect(http.unsubscribe).toBeUndefined()
  expect(http.text).toContain("http://localhost:4400/desk/notices/unsubscribe?token=t")
})
