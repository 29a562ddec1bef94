import type { Role } from "../contract/desk.ts"

/** What an identity provider says about a person at a sign-in. A person is the pair of issuer and subject. */
export type Identity = {
  readonly issuer: string
  readonly subject: string
  /** Only where the provider says that it has verified the address. */
  readonly email?: string
  readonly groups: readonly string[]
}

/** One entry of a list of members in the access file. */
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

/** What the access file says. */
export type Access = {
  /** Whom to ask; null where the file names nobody, and in local mode. */
  readonly contact: string | null
  readonly roles: Readonly<Record<Role, readonly Member[]>>
  readonly rules: readonly Rule[]
}
