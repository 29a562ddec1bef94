/** Who has which role, and which rules restrict an approval: what the access file says (`docs/operating.md`, "Roles and rules"). */
import * as v from "valibot"
import type { Role } from "../contract/desk.ts"
import { namesMemberTwice } from "./record/body.ts"
import { FileFault } from "./watched-file.ts"

/** What an identity provider says about a person at a sign-in. A person is the pair of issuer and subject. */
export type Identity = {
  readonly issuer: string
  readonly subject: string
  /** Only where the provider says that it has verified the address. */
  readonly email?: string
  readonly groups: readonly string[]
}

/** One entry of a list of members. */
export type Member =
  | { readonly kind: "anyone" }
  | { readonly kind: "group"; readonly name: string }
  | { readonly kind: "email"; readonly address: string }
  | { readonly kind: "subject"; readonly subject: string }

/** Restricts who may approve what. A key that is left out matches everything, or demands nothing. */
export type Rule = {
  /** Patterns, as the access file has them: `*` stands for any text. */
  readonly colleague?: string
  readonly destination?: string
  readonly approvers?: readonly Member[]
  readonly preventSelfApproval?: boolean
  readonly maxAuthenticationAgeSeconds?: number
}

export type Access = {
  /** Whom to ask; null where the file names nobody, and in local mode. */
  readonly contact: string | null
  readonly roles: Readonly<Record<Role, readonly Member[]>>
  readonly rules: readonly Rule[]
}

const member = v.pipe(
  v.string(),
  v.rawTransform<string, Member>(({ dataset, addIssue, NEVER }) => {
    const found = parseMember(dataset.value)
    if (found !== undefined) return found
    addIssue({ message: "must be group:NAME, email:ADDRESS, subject:SUB or anyone" })
    return NEVER
  }),
)
const members = v.array(member)
const pattern = v.pipe(v.string(), v.nonEmpty())

/** An object with these keys alone. Valibot takes a list for an object without keys. */
const object = <const Entries extends v.ObjectEntries>(entries: Entries) =>
  v.pipe(
    v.unknown(),
    v.check((value) => !Array.isArray(value)),
    v.strictObject(entries),
  )

const accessFile = object({
  contact: v.optional(v.pipe(v.string(), v.trim(), v.nonEmpty())),
  roles: object({
    reader: v.optional(members, []),
    answerer: v.optional(members, []),
    delegator: v.optional(members, []),
    approver: v.optional(members, []),
  }),
  rules: v.optional(
    v.array(
      object({
        colleague: v.exactOptional(pattern),
        destination: v.exactOptional(pattern),
        approvers: v.exactOptional(v.pipe(members, v.nonEmpty())),
        preventSelfApproval: v.exactOptional(v.boolean()),
        maxAuthenticationAgeSeconds: v.exactOptional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
      }),
    ),
    [],
  ),
})

/** Reads an access file's text. @throws FileFault that says where the fault is, and nothing of the file's content */
export function parseAccess(text: string): Access {
  const found = v.safeParse(accessFile, parseJson(text))
  if (!found.success) throw new FileFault(sayIssue(found.issues[0]))
  return { ...found.output, contact: found.output.contact ?? null }
}

/** Whether a member of a list is this person. */
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

/** Only A to Z: the wider folding of Unicode makes one address of two, such as K and the Kelvin sign. */
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
  // Of two lists of rules JSON.parse would silently drop the first.
  if (namesMemberTwice(text)) throw new FileFault("has the same key twice")
  return value
}

type Issue = v.InferIssue<typeof accessFile>

/** Where the fault is, by the keys that the format has: an unknown key is not repeated. */
function sayIssue(issue: Issue): string {
  if (issue.type === "strict_object" && issue.expected === "never") {
    return `has an unknown key in ${sayPlace(issue.path?.slice(0, -1))}`
  }
  if (issue.type === "strict_object" && issue.received === "undefined") return `has no ${sayPlace(issue.path)}`
  const demand =
    issue.type === "raw_transform" ? issue.message : `must be ${EXPECTED[issue.type] ?? "a whole number of at least 1"}`
  return `has a fault in ${sayPlace(issue.path)}, which ${demand}`
}

/** What a value must be, by the kind of Valibot's issue; the others are about the one number. */
const EXPECTED: Readonly<Partial<Record<Issue["type"], string>>> = {
  strict_object: "an object",
  check: "an object",
  array: "a list",
  string: "a text",
  boolean: "true or false",
  non_empty: "filled",
}

function sayPlace(path: readonly { readonly key?: unknown }[] | undefined): string {
  const place = (path ?? []).map(({ key }) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("")
  return place === "" ? "its outermost object" : place.replace(/^\./, "")
}
