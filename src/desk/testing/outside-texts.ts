/** Properties of the server's functions that parse untrusted text, tried with texts made of pieces that each function knows. */
import * as fc from "fast-check"
import { expect } from "vitest"
import { parseExact, parseJson, stringifyJson } from "../../contract/int64.ts"
import { readAcceptEncoding, readQuotas, readRetryAfter } from "../../platform/http/http-fields.ts"
import { namesMemberTwice, parseObject } from "../../platform/http/json-object.ts"
import { search } from "../../platform/testing/search.ts"
import { readCookie } from "../people/cookies.ts"
import { destinationForms } from "../people/rules/destinations.ts"
import { matches } from "../people/rules/pattern.ts"
import { createEventReader } from "../proxy/event-reader.ts"
import { canonicalJson } from "../record/canonical-json.ts"

/** Texts made of these pieces and of any characters. */
const made = (...pieces: readonly string[]) =>
  fc
    .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...pieces) }, fc.string({ unit: "binary", maxLength: 3 })))
    .map((parts) => parts.join(""))

const destination = made(
  "a",
  "b",
  "@",
  ".",
  ",",
  ";",
  " ",
  "<",
  ">",
  '"',
  "(",
  ")",
  "[",
  "]",
  "=?utf-8?q?",
  "?=",
  "xn--",
)
/** An address, spelled so that some readers miss it or take something else for it. */
const misspelt = fc
  .tuple(
    fc.constantFrom("a", '"a"', "a b"),
    fc.constantFrom("@", "%40", "=40", " @ "),
    fc.constantFrom("bank.example", "[bank.example]", "Bank.example.", "(x)bank.example"),
  )
  .map((parts) => parts.join(""))
/** Several of them, with what may stand around an address. */
const spelled = fc
  .array(
    fc.oneof(
      misspelt,
      misspelt.map((address) => `=?utf-8?q?${address}?=`),
      misspelt.map((address) => `<${address}>`),
      fc.constantFrom("Bank", " ", ",", ";", ":", '"'),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(""))
/** A mailbox as mail programs write it, although RFC 5322 wants quotes around some of these names and no dot at the end. */
const usual = fc.record({
  name: fc.array(fc.constantFrom("J.", "Jana", "O'Neil", "Anne-Marie", "Müller", "GmbH", "&", "Co.", "KG"), {
    maxLength: 4,
  }),
  local: fc.constantFrom("acc", "jana.kern", "Pay+tag"),
  domain: fc.constantFrom("two.example", "BANK.example", "münchen.example"),
  dot: fc.constantFrom("", "."),
})
const pattern = fc
  .array(fc.constantFrom("a", "b", "*", ".", "ﬁ", "＊", "É"), { maxLength: 8 })
  .map((parts) => parts.join(""))
const plain = fc.array(fc.constantFrom("a", "b", ".", "f", "i", "é"), { maxLength: 10 }).map((parts) => parts.join(""))
const field = made(
  ";",
  ",",
  "=",
  '"',
  "\\",
  "q",
  "0",
  "1",
  ".",
  "r",
  "w",
  "t",
  "gzip",
  "*",
  " ",
  "br",
  "Sun, 06 Nov 1994 08:49:37 GMT",
)
const cookie = made("a", "=", ";", " ", '"', "%", ",", "workdesk-4400")
const stream = made("id", "data", "event", ":", " ", "\n", "\r", "\r\n", "\n\n", "1", "é", "retry")
/** JSON with integers that no double holds. */
const json = fc
  .json({ maxDepth: 4 })
  .map((written) => written.replaceAll(/(?<=[:[,])(\d)(?=[,}\]])/g, "900719925474099$1"))

/** Texts that are nearly always a JSON object, whose members may have the same name. */
const object = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(fc.constantFrom('"a":1', '"\\u0061":1e999', '"b" : {"a":null}', '"c":[{"a":1},{"a":2}]', '"d":"\\":"'))
      .map((members) => `{${members.join(",")}}`),
  },
  { weight: 1, arbitrary: made("{", "}", '"a"', ":", ",", "1", "[", "]", '"\\u0061"', " ", "null") },
)

/** Each property is tried with `runs` cases. */
export const PROPERTIES: Readonly<
  Record<string, (options: { readonly runs: number; readonly fresh?: boolean }) => Promise<void>>
> = {
  "a destination has forms or cannot be read": (options) =>
    search(destination, options, (text) => {
      const forms = destinationForms(text)
      if (forms !== undefined) expect(forms).toContain(text)
    }),
  "what a careless reader takes for an address is one of the forms, or the destination cannot be read": (options) =>
    search(
      spelled,
      { ...options, cases: ["a@bank.example=40bank.example", "a=40bank.example@bank.example"] },
      (text) => {
        const forms = destinationForms(text)?.map((form) => form.toLowerCase())
        if (forms !== undefined) for (const address of carelessly(text)) expect(forms).toContain(address)
      },
    ),
  "a mailbox as mail programs write it can be read": (options) =>
    search(usual, options, ({ name, local, domain, dot }) => {
      const address = `${local}@${domain}`
      const text = name.length === 0 ? `${address}${dot}` : `${name.join(" ")} <${address}${dot}>`
      expect(destinationForms(text)).toContain(address.toLowerCase())
    }),
  "a pattern matches what the same regular expression matches": (options) =>
    search(fc.tuple(pattern, plain), options, ([written, text]) => {
      const folded = written.split("*").map((piece) =>
        piece
          .normalize("NFKC")
          .toLowerCase()
          .replaceAll(/[.*]/g, String.raw`\$&`),
      )
      expect(matches(written, text)).toBe(
        new RegExp(`^${folded.join(".*")}$`, "su").test(text.normalize("NFKC").toLowerCase()),
      )
    }),
  "JSON keeps every integer": (options) =>
    search(json, options, (text) => {
      const once = stringifyJson(parseExact(text))
      expect(stringifyJson(parseExact(once))).toBe(once)
      expect(() => parseJson(text)).not.toThrow()
    }),
  "JSON has every integer as it was written": (options) =>
    search(fc.array(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n })), options, (integers) => {
      const text = `[${integers.join(",")}]`
      expect(stringifyJson(parseExact(text))).toBe(text)
      expect(stringifyJson(parseJson(text))).toBe(text)
    }),
  "an object that names no member twice loses no member": (options) =>
    search(object, options, (text) => {
      const parsed = parseObject(text)
      if (parsed === undefined || namesMemberTwice(text)) return
      const names = (text.match(/"(?:[^"\\]|\\.)*"\s*:?/g) ?? []).filter((written) => written.endsWith(":"))
      expect(countMembers(parsed)).toBe(names.length)
    }),
  "the canonical form does not depend on the order of members": (options) =>
    search(
      fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue(), { noNullPrototype: true }),
      options,
      (value) => {
        const turned = Object.fromEntries(Object.entries(value).toReversed())
        expect(canonicalJson(turned)).toBe(canonicalJson(value))
      },
    ),
  "header fields are read or ignored": (options) =>
    search(field, options, (text) => {
      for (const coding of ["gzip", "br"]) expect(readAcceptEncoding(text)(coding)).toBeGreaterThanOrEqual(0)
      expect(readRetryAfter(text) ?? 0).toBeGreaterThanOrEqual(0)
      for (const { r = 0, q = 0 } of readQuotas(text).values()) expect(Number.isFinite(r + q)).toBe(true)
    }),
  "a cookie has one value or none": (options) =>
    search(cookie, options, (text) => {
      const value = readCookie(text, "workdesk-4400")
      if (value !== undefined) expect(text).toContain(value)
    }),
  "a stream has the same events wherever the network splits it": (options) =>
    search(fc.tuple(stream, fc.array(fc.nat(80))), options, ([text, cuts]) => {
      const bytes = Buffer.from(text)
      const ends = [...cuts.filter((cut) => cut < bytes.length).sort((one, other) => one - other), bytes.length]
      const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
      expect(eventsOf(chunks)).toEqual(eventsOf([bytes]))
    }),
}

/** The addresses that a program finds that decodes whatever it can and ignores brackets and quotation marks. */
function carelessly(text: string): readonly string[] {
  const decoded = text
    .replaceAll(/=\?utf-8\?q\?(.*?)\?=/g, (_, word: string) => word.replaceAll("=40", "@"))
    .replaceAll("%40", "@")
  const found = decoded.replaceAll(/[[\]"]/g, "").match(/[\w.]+@[\w.]+/g) ?? []
  return found.map((address) => address.toLowerCase().replace(/\.$/, ""))
}

/** Counts the members of all objects in a JSON value. */
function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0
  const own = Array.isArray(value) ? 0 : Object.keys(value).length
  return Object.values(value).reduce((sum: number, each) => sum + countMembers(each), own)
}

function eventsOf(chunks: readonly Buffer[]): readonly string[] {
  const read = createEventReader()
  const units = chunks.filter(({ length }) => length > 0).flatMap((chunk) => read(chunk))
  return units.filter(({ isEvent }) => isEvent).map(({ bytes }) => bytes.toString())
}
