/** No spelling of an address or URL that a service may understand takes an approval out of a rule. */
import { unescape } from "node:querystring"
import { domainToASCII } from "node:url"
import addresses from "email-addresses"
import addressparser from "nodemailer/lib/addressparser"
import { expect, test } from "vitest"
import { parseAccess } from "../access-file.ts"
import { rulesFor } from "./rules.ts"

const MAILBOX = ["payments", "bank.example"] as const
const URL_PARTS = ["https:", "hooks.example", "/pay"] as const
const SPELLINGS = 2_000
const SEED = 40

const matchesRule = (pattern: string, destination: string) => {
  const access = parseAccess(JSON.stringify({ roles: {}, rules: [{ destination: pattern }] }))
  return rulesFor(access, { colleague: "analyst", destination }).length === 1
}

/** Numbers from 0 to below 1 that are the same in each run (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const random = randomFrom(SEED)
const oneOf = <Item>(items: readonly Item[]): Item => {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error("nothing to choose from")
  return item
}
/** Mostly nothing, or else one of the items. */
const perhaps = (...items: readonly string[]) => (random() < 0.5 ? "" : oneOf(items))

const fullWidth = (text: string) =>
  text.replaceAll(/[!-~]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0))
const percentEncoded = (text: string) =>
  text.replaceAll(/[@a-z.]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
const withInvisible = (text: string) =>
  text.replace(/(?<=.)(?=.)/u, oneOf(["\u{200b}", "\u{ad}", "\u{2060}", "\u{fe0f}"]))

/** One word of an address or URL, spelled in another way. */
function respell(word: string): string {
  return oneOf<(text: string) => string>([
    (text) => text,
    (text) => text,
    (text) => text.toUpperCase(),
    (text) => text.replace(/\./, oneOf(["。", "．", "%2e", " .", ". ", "(x).", ".(x)", "\n .", "..", "\\."])),
    fullWidth,
    percentEncoded,
    withInvisible,
    (text) => `"${text}"`,
  ])(word)
}

const blank = () => perhaps(" ", "\t", "\r\n ", "(x)", " (a (b) \\) c) ", "\u{a0}", "\u{200b}", "(a@other.example)")

function spellMailbox(): string {
  const at = oneOf(["@", "@", "@", "@", "＠", "%40"])
  const [local, domain] = MAILBOX
  const spec = `${respell(local)}${perhaps("+tag")}${blank()}${at}${blank()}${respell(domain)}${perhaps(".", "..", " ")}`
  return oneOf<() => string>([
    () => spec,
    () => blank() + spec + blank(),
    () =>
      `${perhaps("Pay", '"x@y.example"', '"Bank, the"', "x@y.example", "=?utf-8?q?x?=")} <${blank()}${spec}${blank()}>`,
    () => `<@relay.example:${spec}>`,
    () => `team: ${spec}, x@y.example;`,
    () => `x@y.example${oneOf([", ", "; ", " ", ",", "\n"])}${spec}`,
    () => `${spec}${oneOf([", ", "; ", " ", ",", "\n", "?subject=x"])}x@y.example`,
    () =>
      `${oneOf(["mailto:", "MAILTO:", " mailto: ", "mailto://"])}${spec}${perhaps("?subject=x", "?cc=x@y.example", "?subject=%e4", "?x=%zz")}`,
    () => `mailto:x@y.example?${oneOf(["to", "cc", "bcc"])}=${spec}`,
    () => `https://x.example/${oneOf(["", ",", ";", "<", " <"])}${spec}${perhaps(">")}`,
    () => `${"x".repeat(5_000)} <${spec}>`,
  ])()
}

function spellUrl(): string {
  const scheme = oneOf(["https", "https", "HTTPS", "ht\ttps", "https\n", "ｈttps"])
  const slashes = oneOf(["://", "://", ":/", ":", ":\\\\", ":///", ":/\\", ":\\/", ":////", "：//", ":/\t/"])
  const user = perhaps("x@", "x:y@", `${"x".repeat(3_000)}@`, "@", "bank.example@", "x%40y@")
  const [, host, path] = URL_PARTS
  const port = perhaps(":443", ":0443", ":", ".", ".:443")
  const spelledPath = oneOf([
    path,
    path,
    "/x/../pay",
    "/./pay",
    "\\pay",
    "/%2e/pay",
    "/p\tay",
    "/%70ay",
    "/x/%2E%2e/pay",
    "//../pay",
    "//pay",
    "/p%61y?x=%zz",
    "/p%61y?x=%ff",
    "/pa%79%ff",
  ])
  const spec = `${scheme}${slashes}${user}${respell(host)}${port}${spelledPath}${perhaps("#x", "#", "?")}`
  return oneOf<() => string>([
    () => spec,
    () => spec,
    () => blank() + spec + blank(),
    () => `<${spec}>`,
    () => `Pay: ${spec}`,
    () => `https://other.example/${oneOf([" ", ",", ";", "?next="])}${spec}`,
    () => `//${host}${path}`,
  ])()
}

const toAscii = (host: string) => domainToASCII(host.replace(/\.$/, ""))

/** Whether an address that a mail parser found is the mailbox. */
function isMailbox(address: string): boolean {
  const at = address.lastIndexOf("@")
  const [local, domain] = MAILBOX
  return (
    address
      .slice(0, at)
      .toLowerCase()
      .replace(/\+tag$/, "") === local && toAscii(address.slice(at + 1)) === domain
  )
}

/** Whether one of the mail parsers finds the mailbox. */
function isReadAsMailbox(text: string): boolean {
  const found: string[] = addressparser(text, { flatten: true }).map(({ address }) => address)
  const parsed = text.length > 1_000 ? null : addresses.parseAddressList({ input: text, rfc6532: true })
  for (const each of parsed ?? [])
    for (const { address } of each.type === "group" ? each.addresses : [each]) found.push(address)
  return found.some(isMailbox)
}

/** Whether Node's URL leads to the address. A server decodes the path. */
function isReadAsUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null) return false
  const [protocol, host, path] = URL_PARTS
  const isThere = url.protocol === protocol && url.host.replace(/\.$/, "") === host
  return isThere && unescape(url.pathname) === path && url.search === ""
}

test.each([
  ["payments@(x)bank.example", "*@bank.example"],
  ["payments@bank. example", "*@bank.example"],
  ["https:/hooks.example/pay", "https://hooks.example/*"],
  ["https://hooks.example/p%61y?x=%zz", "https://hooks.example/pay*"],
  ["https://hooks.example/p%61y?x=%ff", "https://hooks.example/pay*"],
  ["https://hooks.example/pa%79%ff", "https://hooks.example/pay*"],
  ["https://hooks.example//pay", "https://hooks.example/pay"],
  ["mailto:payments%40bank.example?subject=%e4", "payments@bank.example"],
  ["mailto:payments%40bank.example?x=%zz", "payments@bank.example"],
  ["payments%40bank.example?subject=%zz", "payments@bank.example"],
  ["https:\\\\hooks.example\\pay", "https://hooks.example/*"],
  [`https://${"x".repeat(3_000)}@hooks.example/pay`, "https://hooks.example/*"],
])("%j is in the rule for %s", (destination, pattern) => {
  expect(matchesRule(pattern, destination)).toBe(true)
})

test(`${SPELLINGS} spellings of a mailbox are each in its rules, or are refused by mail parsers`, () => {
  const spellings = Array.from({ length: SPELLINGS }, spellMailbox)
  const read = spellings.filter(isReadAsMailbox)
  expect(read.length).toBeGreaterThan(SPELLINGS / 8)
  for (const pattern of ["*@bank.example", "payments*@bank.example"])
    expect(read.filter((spelling) => !matchesRule(pattern, spelling))).toEqual([])
})

test(`${SPELLINGS} spellings of a URL are each in its rules, or are refused by Node's URL`, () => {
  const spellings = Array.from({ length: SPELLINGS }, spellUrl)
  const read = spellings.filter(isReadAsUrl)
  expect(read.length).toBeGreaterThan(SPELLINGS / 8)
  for (const pattern of ["https://hooks.example/*", "https://hooks.example/pay"])
    expect(read.filter((spelling) => !matchesRule(pattern, spelling))).toEqual([])
})
