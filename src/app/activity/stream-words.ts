import type { DeskError } from "../client/desk-error.ts"
import { wordsFor } from "../ui/error-words.ts"

/** Plain words for a refusal after which the feed tries again. The Problem's own words stand in an alert below the status. */
export function refusalWords(error: DeskError): string {
  if (error.code === "PROXY_STREAMS_BUSY") return "All event streams of this desk are in use."
  // streamWorkEvents answers 429 also where a credential has too many streams open: then no request was too many.
  if (error.status === 429) return "The service allows no further event stream at the moment."
  return wordsFor(error).happened
}

const stops: Readonly<Record<number, string>> = {
  401: "The service no longer accepts the credential.",
  403: "This account is not allowed to follow this Work.",
  404: "This Work is not visible to this account.",
}

/** Plain words for a refusal that ends the stream. */
export function stopWords({ status }: DeskError): string {
  return stops[status ?? 0] ?? "This Work cannot be followed."
}
