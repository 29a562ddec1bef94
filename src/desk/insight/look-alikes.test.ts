import { describe, expect, it, test } from "vitest"
import { type Destination, toDestinations } from "./destination.ts"
import { LookAlikes } from "./look-alikes.ts"

const KNOWN = [
  "payments@halden.example",
  "ada.lovelace@halden.example",
  "hanna@halden.example",
  "mark@harmer.example",
  "info@bücher.example",
  "billing@paypal.example",
  "#finance-team",
  "https://hooks.halden.example/pay",
  "https://api.partner.example:8443/v1/letters",
]

/** Reads a text that names one destination. */
function readDestination(text: string): Destination {
  const [destination, ...others] = toDestinations(text)
  if (destination === undefined || others.length > 0) throw new Error("not one destination")
  return destination
}

function knownLookAlikes() {
  const known = new LookAlikes()
  for (const text of KNOWN) known.add(readDestination(text))
  return known
}

/** The first known destination of each find, each once with its strongest reason. */
const say = (text: string, known = knownLookAlikes()) => {
  const reasons = new Map<string, string>()
  for (const { destinations, reason } of known.find(readDestination(text))) {
    const why =
      reason.kind === "characters"
        ? `“${reason.character}” ${reason.script}`
        : reason.kind === "distance"
          ? `${reason.edits} edits`
          : `within: ${reason.domain}`
    const [first] = destinations
    if (first !== undefined && !reasons.has(first.key)) reasons.set(first.key, `${first.text}: ${why}`)
  }
  return [...reasons.values()]
}

const isKnown = (text: string) => KNOWN.some((known) => readDestination(known).key === readDestination(text).key)

describe("forty destinations beside nine known ones", () => {
  it.each([
    // Known, however they are written.
    ["payments@halden.example", "known", []],
    ["Payments@Halden.Example", "known", []],
    ["payments+october@halden.example", "known", []],
    ["  payments@halden.example ", "known", []],
    ["mailto:payments@halden.example", "known", []],
    ["Payments <payments@halden.example>", "known", []],
    ["payments@halden.example.", "known", []],
    ["info@xn--bcher-kva.example", "known", []],
    ["#Finance-Team", "known", []],
    ["https://hooks.halden.example:443/pay", "known", []],
    // New, and like no known destination.
    ["orders@halden.example", "new", []],
    ["payments@norsk.example", "new", []],
    ["payments@sub.halden.example", "new", []],
    ["#legal", "new", []],
    ["https://hooks.halden.example:8443/pay", "new", []],
    ["https://hooks.halden.example/refund", "new", []],
    ["+47 22 33 44 55", "new", []],
    ["https://api.partner.example/v1/letters", "new", []],
    // Other characters that look the same.
    ["pаyments@halden.example", "new", ["payments@halden.example: “а” Cyrillic"]],
    ["payments@hаlden.example", "new", ["payments@halden.example: “а” Cyrillic"]],
    ["payments@һalden.example", "new", ["payments@halden.example: “һ” Cyrillic"]],
    ["payments@hαlden.example", "new", ["payments@halden.example: “α” Greek"]],
    ["payments@ha1den.example", "new", ["payments@halden.example: “1” Common"]],
    ["billing@paypaI.example", "new", ["billing@paypal.example: “i” Latin"]],
    ["mark@hanner.example", "new", ["mark@harmer.example: 2 edits"]],
    ["mark@hamer.example", "new", ["mark@harmer.example: 1 edits"]],
    ["mark@harrner.example", "new", ["mark@harmer.example: “rn” Latin"]],
    ["payments\u200b@halden.example", "new", ["payments@halden.example: “\u200b” Common"]],
    // Punycode of a Cyrillic а.
    ["payments@xn--hlden-4ve.example", "new", ["payments@halden.example: “а” Cyrillic"]],
    ["ceo@hаlden.example", "new", ["payments@halden.example: “а” Cyrillic"]],
    // One or two characters more, less or exchanged.
    ["payment@halden.example", "new", ["payments@halden.example: 1 edits"]],
    ["paymetns@halden.example", "new", ["payments@halden.example: 1 edits"]],
    ["payments@haldden.example", "new", ["payments@halden.example: 1 edits"]],
    ["payments@hadlen.example", "new", ["payments@halden.example: 1 edits"]],
    ["payments@haldenns.example", "new", ["payments@halden.example: 2 edits"]],
    ["#finance-teams", "new", ["#finance-team: 1 edits"]],
    // The known domain as part of another.
    ["payments@halden.example.evil.test", "new", ["payments@halden.example: within: halden.example"]],
    ["payments@halden.example-pay.test", "new", ["payments@halden.example: within: halden.example"]],
    ["https://halden.example@evil.test/pay", "new", ["payments@halden.example: within: halden.example"]],
    ["payments_halden.example@evil.test", "new", ["payments@halden.example: within: halden.example"]],
    ["payments@halden.example <x@evil.test>", "new", ["payments@halden.example: within: halden.example"]],
  ])("%s is %s", (text, kind, expected) => {
    expect(isKnown(text)).toBe(kind === "known")
    expect(say(text)).toEqual(expected)
  })
})

it.each([
  ["payments@haldon.example", "payments@halden.example: 1 edits"],
  ["payments@h\u0430lden.example", "payments@halden.example: “\u0430” Cyrillic"],
  ["payments@halden.example.evil.test", "payments@halden.example: within: halden.example"],
])("%s is still found when a letter to it has been read, and other names of its host are known", (text, expected) => {
  const known = knownLookAlikes()
  known.add(readDestination(text))
  known.add(readDestination(text.replace("payments", "orders")))
  expect(say(text, known)).toEqual([expected])
})

test("a destination that is removed is not found again, and the others at its host are", () => {
  const known = knownLookAlikes()
  known.delete(readDestination("payments@halden.example").key)
  expect(say("payment@halden.example", known)).toEqual([])
  expect(say("ceo@haldon.example", known)).toEqual(["ada.lovelace@halden.example: 1 edits"])
  for (const text of KNOWN) known.delete(readDestination(text).key)
  expect(KNOWN.flatMap((text) => say(text.replace("e", "\u0435"), known))).toEqual([])
  known.add(readDestination("payments@halden.example"))
  expect(say("payment@halden.example", known)).toEqual(["payments@halden.example: 1 edits"])
})

const FIRST =
  "anna bjorn clara dmitri elena farid grace henrik ingrid jonas karin lars maria nils olga pavel quentin rosa sven tuva ulla viktor wanda xenia yusuf"
const LAST =
  "andersen bakken carlsen dahl eriksen fossum gunnarsen haugen iversen johansen kristiansen larsen moen nilsen olsen pedersen rasmussen solberg tangen ulriksen vik"

/** Two different people of one company, five hundred times. */
function ordinaryPairs(): [string, string][] {
  const people = FIRST.split(" ").flatMap((first) => LAST.split(" ").map((last) => `${first}.${last}`))
  const at = (index: number) => people[(index * 7_919) % people.length] ?? ""
  return Array.from({ length: 500 }, (_, index) => [`${at(index)}@acme.example`, `${at(index + 1)}@acme.example`])
}

test("fewer than one in a hundred ordinary pairs of names is a false alarm", () => {
  const alarms = ordinaryPairs().filter(([one, other]) => {
    const known = new LookAlikes()
    known.add(readDestination(one))
    return known.find(readDestination(other)).length > 0
  })
  expect(alarms.length).toBeLessThan(5)
})

test("numbered neighbours and subdomains are no alarm", () => {
  const known = new LookAlikes()
  for (const text of ["invoices-1@acme.example", "a@mail.acme.example"]) known.add(readDestination(text))
  for (const text of [
    "invoices-2@acme.example",
    "invoices-12@acme.example",
    "a@acme.example",
    "a@x.mail.acme.example",
  ]) {
    expect(known.find(readDestination(text))).toEqual([])
  }
})

test("a destination of a megabyte is read before the test's time is over", () => {
  const known = knownLookAlikes()
  for (const part of ["a.", "@", "<", "+", "xn--", "halden.example."]) {
    known.find(readDestination(`x@${part.repeat(1_000_000 / part.length)}`))
    known.find(readDestination(part.repeat(1_000_000 / part.length)))
  }
})
