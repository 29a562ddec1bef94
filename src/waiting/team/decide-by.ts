/** By when the rules of the access file want an approval to be decided (`docs/team.md`, "To be decided by"). */
import type { Access, Rule } from "../../people/access.ts"
import { rulesFor } from "../../people/rules/rules.ts"

type Approval = Parameters<typeof rulesFor>[1]

/**
 * When an approval should be decided, in milliseconds since 1970: by the shortest `decideWithin` that matches. Undefined without one.
 * `from` is `created_at` of the first version that this desk has read.
 */
export function decideBy(access: Access, approval: Approval, from: number): number | undefined {
  return shortest(from, rulesFor(access, approval), ({ decideWithin }) => decideWithin)
}

/** When a reminder of an approval is due: the earliest by all rules that match. Undefined without a reminder. */
export function remindAt(access: Access, approval: Approval, from: number): number | undefined {
  return shortest(from, rulesFor(access, approval), ({ decideWithin, remindBefore }) =>
    decideWithin === undefined || remindBefore === undefined ? undefined : decideWithin - remindBefore,
  )
}

function shortest(from: number, rules: readonly Rule[], durationOf: (rule: Rule) => number | undefined) {
  const durations = rules.flatMap((rule) => durationOf(rule) ?? [])
  return durations.length === 0 || Number.isNaN(from) ? undefined : from + Math.min(...durations)
}
