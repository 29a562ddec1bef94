import { type Cause, causeOf } from "../contract/cause.ts"
import type { Refusal } from "../contract/refusal.ts"
import { providerUnavailable, storeUnavailable } from "../contract/refusals.ts"
import { StoreUnavailableError } from "../store/database.ts"
import { ProviderAwayError, ProviderInvalidError } from "./provider/provider-errors.ts"

/** Gives the result of `work`, or a refusal (502 or 503) while the store or the identity provider is away. Rethrows every other error. */
export async function orRefusal<Result>(work: () => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StoreUnavailableError) return storeUnavailable(error.reason)
    if (error instanceof ProviderAwayError || error instanceof ProviderInvalidError) {
      return providerUnavailable(providerCauseOf(error))
    }
    throw error
  }
}

/** Why the identity provider gave no valid answer, for the log. */
export function providerCauseOf(error: unknown): Cause {
  return error instanceof ProviderInvalidError ? "not_the_operation" : causeOf(error)
}
