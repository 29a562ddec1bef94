import type { DeskError } from "../client/desk-error.ts"
import type { Failure } from "../client/status-meaning.ts"
import { wordsFor } from "../ui/error-words.ts"

/** Plain words for a refusal after which the feed tries again. The Problem's own words stand in an alert below the status. */
export function refusalWords(error: DeskError): string {
  if (error.code === "PROXY_STREAMS_BUSY") return "All event streams of this desk are in use."
  // streamWorkEvents answers 429 also where a credential has too many streams open. Then there were not too many requests.
  if (error.failure === "too-many") return "The service allows no further event stream at the moment."
  return wordsFor(error).happened
}

const stops: Readonly<Partial<Record<Failure, string>>> = {
  unauthenticated: "The service no longer accepts the credential.",
  forbidden: "This account is not allowed to follow this Work.",
  "not-visible": "This Work is not visible to this account.",
}

/** Plain words for a refusal that ends the stream. */
export function stopWords({ failure }: DeskError): string {
  return (failure && stops[failure]) ?? "This Work cannot be followed."
}
