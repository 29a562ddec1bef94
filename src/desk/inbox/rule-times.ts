/** When the rules demand something for a pending item: a decision, a reminder, an escalation. Times are milliseconds since 1970. */
import type { Access, Rule } from "../people/access-file.ts"
import { rulesFor } from "../people/rules/rules.ts"
import type { ListedItem } from "../watcher/read-resources.ts"
import type { ClaimableItem } from "./claims.ts"

/** By when an item is to be decided: by the shortest `decideWithin` that matches. Undefined: no rule says. */
export function decideBy(access: Access, found: ClaimableItem): number | undefined {
  return soonest(access, found, ({ decideWithin }) => decideWithin)
}

/** When people are to be reminded of an item: the earliest by all rules that match. Undefined: no rule says. */
export function remindAt(access: Access, found: ClaimableItem): number | undefined {
  return soonest(access, found, ({ decideWithin, remindBefore }) =>
    decideWithin === undefined || remindBefore === undefined ? undefined : decideWithin - remindBefore,
  )
}

function soonest(
  access: Access,
  { item, firstCreatedAt }: ClaimableItem,
  durationOf: (rule: Rule) => number | undefined,
): number | undefined {
  if (item.kind !== "approval" || Number.isNaN(firstCreatedAt)) return undefined
  const durations = rulesFor(access, item).flatMap((rule) => durationOf(rule) ?? [])
  return durations.length === 0 ? undefined : firstCreatedAt + Math.min(...durations)
}

/** That a rule escalates an approval, and when. */
export type RuleEscalation = {
  readonly rule: Rule
  readonly escalate: NonNullable<Rule["escalate"]>
  readonly at: number
}

/** Finds the escalations of an approval by all matching rules. Their time counts from the present version, and the times above from the first. */
export function findEscalations(access: Access, item: ListedItem, since = item.createdAt): readonly RuleEscalation[] {
  if (item.kind !== "approval") return []
  return rulesFor(access, item).flatMap((rule) => {
    const { escalate } = rule
    return escalate === undefined ? [] : { rule, escalate, at: since + escalate.after }
  })
}
