import * as v from "valibot"
import type { Identity } from "./access.ts"
import { SignInRefusedError } from "./provider/provider-errors.ts"
import type { Claims } from "./provider/provider.ts"

/** Longer names are cut: a name is a person's, not a document. */
const NAME_CHARACTERS = 200

type Said = Readonly<Record<string, unknown>>

/** Whether an ID token says all that the desk wants to know of a person, so that the userinfo answer is not needed. */
export function isWhole(idToken: Said, groupsClaim: string): boolean {
  return [groupsClaim, "name", "email"].every((claim) => idToken[claim] !== undefined)
}

/**
 * Who signed in, by what the ID token says, or else the userinfo answer.
 * @throws SignInRefusedError where groups are sent by reference, or in a form that could hide some of them
 */
export function identify({ idToken, userInfo }: Claims, groupsClaim: string): { identity: Identity; name: string } {
  const sources: readonly Said[] = userInfo === undefined ? [idToken] : [idToken, userInfo]
  const { iss: issuer, sub: subject } = idToken
  const email = verifiedEmail(sources)
  const groups = readGroups(sources, groupsClaim)
  const name = readName(sources) ?? email ?? subject
  return { identity: { issuer, subject, groups, ...(email === undefined ? {} : { email }) }, name }
}

function readName(sources: readonly Said[]): string | undefined {
  for (const claim of ["name", "preferred_username"]) {
    for (const source of sources) {
      const value = source[claim]
      const name = typeof value === "string" ? value.replaceAll(/\p{Cc}+/gu, " ").trim() : ""
      if (name !== "") return name.slice(0, NAME_CHARACTERS).toWellFormed()
    }
  }
  return undefined
}

/** An address counts only where the same source says that it is verified. */
function verifiedEmail(sources: readonly Said[]): string | undefined {
  const found = sources.find(({ email, email_verified }) => typeof email === "string" && email_verified === true)
  return typeof found?.["email"] === "string" && found["email"].includes("@") ? found["email"] : undefined
}

const claimNames = v.record(v.string(), v.unknown())
const groupList = v.union([
  v.array(v.string()),
  v.pipe(
    v.string(),
    v.transform((group) => [group]),
  ),
])

function readGroups(sources: readonly Said[], claim: string): readonly string[] {
  // OpenID Connect Core, 5.6.2: Entra ID names a source instead of more than 200 groups.
  const isByReference = sources.some(
    ({ _claim_names: names }) => v.is(claimNames, names) && Object.hasOwn(names, claim),
  )
  if (isByReference) throw new SignInRefusedError("groups_by_reference")
  const said = sources.map((source) => source[claim]).find((value) => value !== undefined && value !== null)
  if (said === undefined) return []
  const groups = v.safeParse(groupList, said)
  if (!groups.success) throw new SignInRefusedError("groups_invalid")
  return [...new Set(groups.output)]
}
