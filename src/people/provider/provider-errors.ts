/** The provider does not answer: it is away, late, or cannot be reached. */
export class ProviderAwayError extends Error {}

/** The provider answers, but not as the protocol says. */
export class ProviderInvalidError extends Error {}

export type SignInRefusal =
  | "provider_refused"
  | "answer_invalid"
  | "code_refused"
  | "client_refused"
  | "id_token_refused"
  | "not_authenticated_anew"
  | "groups_by_reference"
  | "groups_invalid"

/** The provider or the desk refuses one sign-in. */
export class SignInRefusedError extends Error {
  readonly reason: SignInRefusal

  constructor(reason: SignInRefusal, cause?: unknown) {
    super(reason, { cause })
    this.reason = reason
  }
}

/** The provider's error in a chain of causes: libraries wrap what their fetch throws. */
export function providerErrorIn(error: unknown): ProviderAwayError | ProviderInvalidError | undefined {
  for (let link = error; link instanceof Error; link = link.cause) {
    if (link instanceof ProviderAwayError || link instanceof ProviderInvalidError) return link
  }
  return undefined
}
