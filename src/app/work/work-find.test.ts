import { expect, test } from "vitest"
import type { Work } from "../../contract/resources.ts"
import { findIn } from "./work-find.ts"

const work = (title: string, question?: string): Work => ({
  id: `id-${title}`,
  title,
  objective: "x",
  status: "working",
  colleague_id: "analyst",
  human_owner_id: "owner",
  visibility_scope: "private",
  priority: "normal",
  version: 1n,
  created_by: "sa",
  created_at: "2026-11-20T09:00:00Z",
  updated_at: "2026-11-20T09:00:00Z",
  ...(question !== undefined && { attention_question: question }),
})
const rows = [work("Café invoices", "Which amount?"), work("Post-mortem"), work("INVOICE list")]

test.each([
  ["nothing", " ", 3],
  ["a word in any case", "invoice", 2],
  ["accents or none", "cafe", 1],
  ["every word, in any order", "list invoice", 1],
  ["the open question", "amount", 1],
  ["the colleague", "analyst", 3],
  ["a word that is nowhere", "zebra", 0],
])("finds by %s", (_, text, count) => {
  expect(findIn(rows, text)).toHaveLength(count)
})
