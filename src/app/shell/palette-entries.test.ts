import { describe, expect, it } from "vitest"
import { matchesWords, wordsOf } from "./palette-entries.ts"

const finds = (text: string, wanted: string) => matchesWords(wordsOf(text), wordsOf(wanted))

describe("the palette finds words by their beginnings", () => {
  it.each([
    ["Reconcile October supplier invoices", "oct inv"],
    ["Reconcile October supplier invoices", "inv oct"],
    ["Reconcile October supplier invoices", "RECON"],
    ["Résumé of the café", "resume cafe"],
    ["Resume of the cafe", "résumé"],
    ["october-invoices.csv", "invoices.csv"],
    ["Straße 12", "12 stra"],
    ["ﬁnance", "finance"],
    ["in invoices", "in inv"],
    ["Needs You", ""],
    ["Запрос к поставщику", "пос зап"],
  ])("%j by %j", (text, wanted) => {
    expect(finds(text, wanted)).toBe(true)
  })

  it.each([
    ["Reconcile October supplier invoices", "voices"],
    ["Reconcile October supplier invoices", "oct nov"],
    ["October", "oct oct"],
    ["", "a"],
  ])("but not %j by %j", (text, wanted) => {
    expect(finds(text, wanted)).toBe(false)
  })
})
