/** Reads ACCESS_FILE: who has which role, and which rules restrict an approval (`docs/operating.md`, "Roles and rules"). */
import * as v from "valibot"
import type { Role } from "../../contract/desk-people.ts"
import { ROLES } from "../../contract/roles.ts"
import { parseDuration } from "../../platform/environment.ts"
import { namesMemberTwice } from "../../platform/http/json-object.ts"
import { isPlainAddress } from "./plain-address.ts"
import { FileFault } from "../../platform/reread-files.ts"

/** What an identity provider says about a person. The pair of issuer and subject identifies the person. */
export type Identity = {
  readonly issuer: string
  readonly subject: string
  /** Left out unless the provider says that it has verified the address. */
  readonly email?: string
  readonly groups: readonly string[]
}

export type Member =
  | { readonly kind: "anyone" }
  | { readonly kind: "group"; readonly name: string }
  | { readonly kind: "email"; readonly address: string }
  | { readonly kind: "subject"; readonly subject: string }

type Milliseconds = number

/** An address that cannot sign in. It only gets escalations. */
export type Mailbox = { readonly kind: "mailbox"; readonly address: string }

// Every part of the schema has a message of its own, because Valibot's messages quote the file.
const TEXT = "must be text"
const LIST = "must be a list"
const FILLED = "must not be empty"
const WHOLE = "must be a whole number of at least 1"

/** A text that `parse` turns into a value. When `parse` gives undefined, the file is refused with `message`. */
const parsed = <Value>(parse: (text: string) => Value | undefined, message: string) =>
  v.pipe(
    v.string(TEXT),
    v.rawTransform<string, Value>(({ dataset, addIssue, NEVER }) => {
      const found = parse(dataset.value)
      if (found !== undefined) return found
      addIssue({ message })
      return NEVER
    }),
  )

const member = parsed(parseMember, "must be group:NAME, email:ADDRESS, subject:SUB or anyone")
const members = v.array(member, LIST)

export const MAILBOX = "mailbox:"
const mailbox = parsed<Mailbox>((text) => {
  const address = text.slice(MAILBOX.length)
  return text.startsWith(MAILBOX) && isPlainAddress(address) ? { kind: "mailbox", address } : undefined
}, "must be mailbox:ADDRESS")

/** A duration that is not 0, in milliseconds. */
const duration = parsed<Milliseconds>(
  (text) => parseDuration(text) || undefined,
  "must be a whole number with s, m or h, such as 30m",
)
const pattern = v.pipe(v.string(TEXT), v.nonEmpty(FILLED))

/** An object with these keys only. Valibot accepts a list as an object, so lists are refused first. */
const object = <const Entries extends v.ObjectEntries>(entries: Entries) =>
  v.pipe(
    v.unknown(),
    v.check((value) => !Array.isArray(value), "must be an object"),
    v.strictObject(entries, "must be an object"),
  )

/** Some people who share Work. `colleagues` are patterns of colleague ids, for Work whose creator's teams are not known. */
const team = object({ name: pattern, members, colleagues: v.exactOptional(v.array(pattern, LIST)) })
const teams = v.pipe(
  v.array(team, LIST),
  v.check(
    (teams) => new Set(teams.map(({ name }) => name)).size === teams.length,
    "must have a different name for each team",
  ),
)

/** Restricts who may approve what. A pattern that is left out matches everything. A demand that is left out is no demand. */
const rule = v.pipe(
  object({
    colleague: v.exactOptional(pattern),
    destination: v.exactOptional(pattern),
    approvers: v.exactOptional(v.pipe(members, v.nonEmpty(FILLED))),
    preventSelfApproval: v.exactOptional(v.boolean("must be true or false")),
    maxAuthenticationAgeSeconds: v.exactOptional(v.pipe(v.number(WHOLE), v.safeInteger(WHOLE), v.minValue(1, WHOLE))),
    /** How many persons must approve. */
    approvalsNeeded: v.exactOptional(v.picklist([2, 3, 4, 5], "must be 2, 3, 4 or 5")),
    /** By when an approval should be decided, and how long before that a reminder goes out. */
    decideWithin: v.exactOptional(duration),
    remindBefore: v.exactOptional(duration),
    /** Who is notified of an approval that has been pending this long. */
    escalate: v.exactOptional(
      object({
        after: duration,
        to: v.pipe(
          v.array(v.union([mailbox, member], "must be a member, or mailbox:ADDRESS"), LIST),
          v.nonEmpty(FILLED),
        ),
      }),
    ),
  }),
  v.check(
    ({ decideWithin = 0, remindBefore }) => remindBefore === undefined || remindBefore < decideWithin,
    "must have a decideWithin longer than remindBefore",
  ),
)

const accessFile = object({
  contact: v.optional(v.pipe(v.string(TEXT), v.trim(), v.nonEmpty(FILLED))),
  roles: object({
    reader: v.optional(members, []),
    answerer: v.optional(members, []),
    delegator: v.optional(members, []),
    approver: v.optional(members, []),
  }),
  rules: v.optional(v.array(rule, LIST), []),
  /** Who sees what. Left out: one team of everybody, and no overseers (`docs/operating.md`, "Who sees what"). */
  visibility: v.exactOptional(object({ teams: v.exactOptional(teams), overseers: v.exactOptional(members) })),
})

export type Team = Readonly<v.InferOutput<typeof team>>
export type Rule = Readonly<v.InferOutput<typeof rule>>
export type Access = Readonly<Omit<v.InferOutput<typeof accessFile>, "contact">> & {
  /** Whom to ask for a role. Null when the file names nobody, and in local mode. */
  readonly contact: string | null
}

/** Reads the text of an access file. @throws FileFault that names the place of the fault and no content of the file */
export function parseAccess(text: string): Access {
  const found = v.safeParse(accessFile, parseJson(text))
  if (!found.success) throw new FileFault(formatIssue(found.issues[0]))
  return { ...found.output, contact: found.output.contact ?? null }
}

/** A sentence for each rule that has no effect, because it requires nothing and notifies nobody. */
export function emptyRules({ rules }: Access): readonly string[] {
  const isPattern = (key: string) => key === "colleague" || key === "destination"
  const isEmpty = (rule: Rule) => Object.entries(rule).every(([key, value]) => isPattern(key) || value === false)
  return rules.flatMap((rule, index) => (isEmpty(rule) ? [`rule ${index + 1} has no effect: it requires nothing`] : []))
}

/** Whether some member of the file is a group, so that a sign-in needs the groups claim. */
export const namesGroups = (access: Access): boolean => JSON.stringify(access).includes('"kind":"group"')

/** The roles that the access file gives to a person. */
export function rolesOf(access: Access, identity: Identity): readonly Role[] {
  return ROLES.filter((role) => isAmong(access.roles[role], identity))
}

/** Whether one of the members is this person. */
export function isAmong(members: readonly Member[], identity: Identity): boolean {
  return members.some((member) => isPerson(member, identity))
}

function isPerson(member: Member, { subject, email, groups }: Identity): boolean {
  switch (member.kind) {
    case "anyone":
      return true
    case "group":
      return groups.includes(member.name)
    case "subject":
      return member.subject === subject
    case "email":
      return email !== undefined && foldAscii(email) === foldAscii(member.address)
  }
}

/** Folds the letters A to Z only. Unicode's folding would make one address of two: `k` and the Kelvin sign become the same. */
const foldAscii = (address: string) => address.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

function parseMember(text: string): Member | undefined {
  if (text === "anyone") return { kind: "anyone" }
  const [, kind, value = ""] = /^(group|email|subject):(.+)$/su.exec(text) ?? []
  if (kind === "group") return { kind, name: value }
  if (kind === "subject") return { kind, subject: value }
  return kind === "email" && value.includes("@") ? { kind, address: value.trim() } : undefined
}

function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's message quotes the text.
    throw new FileFault("is not valid JSON")
  }
  // JSON.parse would silently drop the first of two lists of rules.
  if (namesMemberTwice(text)) throw new FileFault("has the same key twice")
  return value
}

/** Names the place of the fault with keys of the format. An unknown key is content of the file and is not repeated. */
function formatIssue({ type, expected, received, path, message }: v.InferIssue<typeof accessFile>): string {
  const isUnknownKey = type === "strict_object" && expected === "never"
  if (isUnknownKey) return `has an unknown key in ${formatPlace(path?.slice(0, -1))}`
  const isMissingKey = type === "strict_object" && received === "undefined"
  if (isMissingKey) return `has no ${formatPlace(path)}`
  return `has an error in ${formatPlace(path)}, which ${message}`
}

function formatPlace(path: readonly { readonly key?: unknown }[] | undefined): string {
  const place = (path ?? []).map(({ key }) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("")
  return place === "" ? "its outermost object" : place.replace(/^\./, "")
}
