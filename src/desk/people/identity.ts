/** Reads who a person is from the claims of the identity provider. */
import * as v from "valibot"
import type { Identity } from "./access-file.ts"
import type { GroupsClaim } from "./directory.ts"
import { SignInRefusedError } from "./provider/provider-errors.ts"
import type { Claims } from "./provider/provider.ts"

/** A longer name is cut. */
const NAME_MAX_CHARACTERS = 200

type ClaimSet = Readonly<Record<string, unknown>>

/** Whether an ID token has all claims that the desk reads, so that the userinfo answer is not needed. A claim that is null is not there. */
export function hasAllClaims(idToken: ClaimSet, groupsClaim: string): boolean {
  const isComplete = [groupsClaim, "name", "email"].every((claim) => isThere(idToken[claim]))
  return isComplete && typeof idToken["email_verified"] === "boolean"
}

const isThere = (value: unknown) => value !== undefined && value !== null

/** What the log says when an address is not used because `email_verified` has the wrong type. OpenID Connect Core, 5.1, wants a boolean. */
export const EMAIL_VERIFIED_INVALID =
  "email_verified_invalid: email_verified is not a boolean, so the address is not used"

export type ReadIdentity = {
  readonly identity: Identity
  readonly name: string
  readonly groupsClaim: GroupsClaim
  /** For the log: why a claim was not used. */
  readonly warning: string | undefined
}

/** Reads each claim from the ID token, or else from the userinfo answer. @throws SignInRefusedError for groups by reference or in no list */
export function readIdentity({ idToken, userInfo }: Claims, groupsClaim: string): ReadIdentity {
  const sources: readonly ClaimSet[] = userInfo === undefined ? [idToken] : [idToken, userInfo]
  const { iss: issuer, sub: subject } = idToken
  const email = verifiedEmail(sources)
  const groups = readGroups(sources, groupsClaim)
  const name = readName(sources) ?? email ?? subject
  const warning = email === undefined && sources.some(isVerifiedInvalid) ? EMAIL_VERIFIED_INVALID : undefined
  const identity = { issuer, subject, groups: groups ?? [], ...(email === undefined ? {} : { email }) }
  return { identity, name, groupsClaim: groups === undefined ? "absent" : "present", warning }
}

function readName(sources: readonly ClaimSet[]): string | undefined {
  for (const claim of ["name", "preferred_username"]) {
    for (const source of sources) {
      const value = source[claim]
      const name = typeof value === "string" ? value.replaceAll(/\p{Cc}+/gu, " ").trim() : ""
      if (name !== "") return name.slice(0, NAME_MAX_CHARACTERS).toWellFormed()
    }
  }
  return undefined
}

/** The e-mail address, if the same source says that the address is verified. */
function verifiedEmail(sources: readonly ClaimSet[]): string | undefined {
  const found = sources.find(({ email, email_verified }) => typeof email === "string" && email_verified === true)
  return typeof found?.["email"] === "string" && found["email"].includes("@") ? found["email"] : undefined
}

function isVerifiedInvalid({ email, email_verified }: ClaimSet): boolean {
  return typeof email === "string" && isThere(email_verified) && typeof email_verified !== "boolean"
}

const claimNames = v.record(v.string(), v.unknown())
const groupList = v.union([
  v.array(v.string()),
  v.pipe(
    v.string(),
    v.transform((group) => [group]),
  ),
])

/** Undefined when neither source has the claim. */
function readGroups(sources: readonly ClaimSet[], claim: string): readonly string[] | undefined {
  // OpenID Connect Core, 5.6.2. Entra ID sends a reference instead of more than 200 groups.
  const isByReference = sources.some(
    ({ _claim_names: names }) => v.is(claimNames, names) && Object.hasOwn(names, claim),
  )
  if (isByReference) throw new SignInRefusedError("groups_by_reference")
  const value = sources.map((source) => source[claim]).find(isThere)
  if (value === undefined) return undefined
  const groups = v.safeParse(groupList, value)
  if (!groups.success) throw new SignInRefusedError("groups_invalid")
  return [...new Set(groups.output)]
}
