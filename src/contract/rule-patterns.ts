/** The patterns of a rule in words. */
import type { RulePatterns } from "./desk-work.ts"

/** Such as "destination *@bank.example, colleague analyst". A rule without a pattern applies to every approval. */
export function formatPatterns({ destination, colleague }: RulePatterns): string {
  const patterns = [
    destination !== undefined && `destination ${destination}`,
    colleague !== undefined && `colleague ${colleague}`,
  ].filter((pattern) => pattern !== false)
  return patterns.length === 0 ? "every approval" : patterns.join(", ")
}
