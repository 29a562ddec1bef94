/** The provider does not answer in time, or cannot be reached. */
export class ProviderAwayError extends Error {}

/** The provider's answer is not valid in OpenID Connect. */
export class ProviderInvalidError extends Error {}

export type RefusedReason = "refused" | "groups_by_reference" | "groups_invalid"

/** The provider or the desk refuses a sign-in. `reason` says why. */
export class SignInRefusedError extends Error {
  readonly reason: RefusedReason

  constructor(reason: RefusedReason, cause?: unknown) {
    super(reason, { cause })
    this.reason = reason
  }
}

/** Finds an error of the provider in a chain of causes, because libraries wrap the errors of their fetch. */
export function providerErrorIn(error: unknown): ProviderAwayError | ProviderInvalidError | undefined {
  for (let link = error; link instanceof Error; link = link.cause) {
    if (link instanceof ProviderAwayError || link instanceof ProviderInvalidError) return link
  }
  return undefined
}
