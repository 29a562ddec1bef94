import { describe, expect, test } from "vitest"
import { parseAccess } from "../access-file.ts"
import { readDestinations } from "./destinations.ts"
import { rulesFor } from "./rules.ts"

/** Whether a rule for this pattern matches an approval with this destination. */
function doesRuleMatch(pattern: string, destination: string): boolean {
  const access = parseAccess(JSON.stringify({ roles: {}, rules: [{ destination: pattern }] }))
  return rulesFor(access, { colleague: "analyst", destination }).length === 1
}

describe("a rule for *@bank.example", () => {
  test.each([
    "a@bank.example",
    "Pay <a@bank.example>",
    '"Bank, the" <a@bank.example.>',
    "a@bank.example.",
    "A@BANK.Example..",
    "J. Kern <a@BANK.example.>",
    "Müller GmbH & Co. KG <a@bank.example>, J. Kern <b@other.example>",
    "mailto:a@bank.example?subject=x",
    "mailto:a%40bank.example",
    "a+tag@bank.example",
    "b@other.example, a@bank.example",
    "a@bank.example; b@other.example",
    "a@bank.example (the bank)",
    "a @ bank.example",
    "Pay ＜a＠bank。example＞",
    "a@ban\u{200b}k.example",
    '"a b"@bank.example',
    `${"x".repeat(5_000)} <a@bank.example>`,
  ])("matches %j", (destination) => {
    expect(doesRuleMatch("*@bank.example", destination)).toBe(true)
  })

  test.each(["a@bank.example.org", "a@notbank.example", "bank.example", "a@sub.bank.example"])(
    "does not match %j",
    (destination) => expect(doesRuleMatch("*@bank.example", destination)).toBe(false),
  )
})

test.each([
  ["*@bücher.example", "a@xn--bcher-kva.example"],
  ["*@bücher.example", "Pay <a@XN--BCHER-KVA.example.>"],
  ["*@xn--bcher-kva.example", "a@bücher.example"],
  ["*@xn--bcher-kva.example", "a@BÜCHER.example"],
  ["https://bücher.example/*", "HTTPS://xn--bcher-kva.example.:443/pay"],
  ["pay+*@bank.example", "Pay <pay+october@bank.example>"],
  ["#finance", "  #FINANCE "],
])("a rule for %j matches %j", (pattern, destination) => {
  expect(doesRuleMatch(pattern, destination)).toBe(true)
})

test("two spellings of one IP address are one destination", () => {
  expect(doesRuleMatch("*@[IPv6:2001:db8::1]", "a@[ipv6:2001:DB8:0:0::1]")).toBe(true)
})

test("a plus-tag stays part of the address that a rule is compared with", () => {
  expect(doesRuleMatch("pay@bank.example", "pay+x@bank.example")).toBe(false)
})

test.each([
  "#finance",
  "Müller & Co., Bergen",
  "+47 22 33 44 55",
  "tel:+4722334455",
  "Slack: #finance",
  "12/2026",
  "a@bank.example (the bank)",
  "jörg@bank.example (the bank)",
  'J. Kern <"a b"@bank.example>',
  "Pay <a@bank.example>, b@other.example",
  "team: a@bank.example;",
  "https://hooks.example:8443/a%20b?c=d%2Fe#f",
  "https://bücher.example/pay",
  "acc@two.example.",
  "Bank <a@BANK.example.>",
  '"Bank, the" <a@bank.example.>',
  "J. Kern <j@bank.example>",
  "Müller GmbH & Co. KG <a@bank.example>",
  "Siobhán O'Neill-Kern <a@bank.example>",
  'J. Kern <j@bank.example>, "Bank, the" <a@bank.example>, acc@two.example.',
  "a@[192.0.2.1]",
  "a@[IPv6:2001:db8::1]",
])("%j can be read, so a rule for another place does not match it", (destination) => {
  expect(doesRuleMatch("*@other.test", destination)).toBe(false)
})

test.each([
  "a@bank.example b@other.example",
  "@finance",
  '"b@other.example" <a@bank.example>',
  "a@bank. example",
  "<@relay.example:a@bank.example>",
  "a%bank.example@relay.example",
  "mailto:a@bank.example?cc=b@other.example",
  "https://bank.example@other.example/",
  "https://other.example\\@bank.example/",
  "https:other.example",
  "//other.example/pay",
  "https://hooks%2eexample/pay",
  "https://other.example/,a@bank.example",
  "see https://other.example/pay",
  "payments@[bank.example]",
  "payments@[192.0.2.300]",
  "payments@[2001:db8::1]",
  "Pay <payments@[tag:bank.example]>",
  "=?utf-8?Q?payments=40bank.example?=",
  "=?utf-8?Q?Pay?= <a@other.example>",
  "=%3Futf-8?Q?payments=40bank.example?=",
  "＝？utf-8？Q？payments=40bank.example？＝",
  "https://other.example/=?utf-8?Q?payments=40bank.example?=",
  "a@bank.example..",
  "a@bank.example, ",
  ",a@bank.example",
  'J. "Kern <a@bank.example>',
  "J. Kern [x] <a@bank.example>",
  "J. Kern a@bank.example",
])("%j cannot be read as one destination, so a rule for any place matches it", (destination) => {
  expect(doesRuleMatch("*@any.test", destination)).toBe(true)
})

test("a text of more than 1,000 characters cannot be read either", () => {
  expect(doesRuleMatch("*@any.test", "x".repeat(1_000))).toBe(false)
  expect(doesRuleMatch("*@any.test", "x".repeat(1_001))).toBe(true)
})

test("a text of a megabyte is compared before the test's time is over", () => {
  for (const part of ["a", "@", "a@", " ", "<"]) doesRuleMatch("*@bank.example", part.repeat(1_000_000 / part.length))
})

describe("a destination is read as", () => {
  test.each([
    ["  #finance ", [["#finance", "#finance", "", ""]]],
    [
      "finance, ops ;  legal  team",
      [
        ["finance, ops ; legal team", "finance, ops ; legal team", "", ""],
        ["finance", "finance", "", ""],
        ["ops", "ops", "", ""],
        ["legal team", "legal team", "", ""],
      ],
    ],
    ["Bank.Example.", [["bank.example", "Bank.Example.", "", "bank.example"]]],
    ["a-b.c1.example", [["a-b.c1.example", "a-b.c1.example", "", "a-b.c1.example"]]],
    ["xn--mnchen-3ya.example", [["münchen.example", "xn--mnchen-3ya.example", "", "münchen.example"]]],
    ["b.example extra", [["b.example extra", "b.example extra", "", ""]]],
    ["extra b.example", [["extra b.example", "extra b.example", "", ""]]],
    ["xn--é.example", [["xn--é.example", "xn--é.example", "", ""]]],
    ["b%c3%bccher.example", [["bücher.example", "bücher.example", "", "bücher.example"]]],
    [
      " https://Hooks.example:8443/a?b=c#d ",
      [["https://hooks.example:8443/a?b=c", "https://Hooks.example:8443/a?b=c#d", "", "hooks.example"]],
    ],
    ["s3://bucket.example/a", [["s3://bucket.example/a", "s3://bucket.example/a", "", "bucket.example"]]],
    ["_x.example", [["_x.example", "_x.example", "", ""]]],
    ["x.example_", [["x.example_", "x.example_", "", ""]]],
    ["mailto:Ada@Bank.example", [["ada@bank.example", "Ada@Bank.example", "ada", "bank.example"]]],
    ["a@[1.2.3.4]", [["a@[1.2.3.4]", "a@[1.2.3.4]", "a", "[1.2.3.4]"]]],
    ["a@[IPv6:0:0::1]", [["a@[ipv6:::1]", "a@[IPv6:0:0::1]", "a", "[ipv6:::1]"]]],
  ])("%j", (text, expected) => {
    const read = readDestinations(text)?.map(({ canonical, written, local, host }) => [canonical, written, local, host])
    expect(read).toEqual(expected)
  })

  test.each([
    "//host",
    String.raw`\\host`,
    "https:/host",
    "https:host",
    "a:/b",
    "see mailto:a@b.example",
    "a@[nothing]",
    "a@xn--é.example",
    "a@bank.example=40other.example",
    "a@bank_.example",
    "a=40bank.example@other.example",
  ])("neither, so nobody can read it: %j", (text) => expect(readDestinations(text)).toBeUndefined())
})
