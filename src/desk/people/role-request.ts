/** The text that a person without a role sends to the operator. The page and the log have the same text. */
import type { SignedIn } from "./directory.ts"

/** More groups would make the line unreadable. */
const GROUPS_MAX = 20

/** `claim` is the name of the claim of groups. */
export function formatRoleRequest({ name, identity, groupsClaim }: SignedIn, claim: string): string {
  return `name "${name}", subject "${identity.subject}", ${formatGroups(identity.groups, groupsClaim, claim)}`
}

/** Says whether the provider sent the claim of groups, and what it held. */
export function formatGroups(groups: readonly string[], groupsClaim: SignedIn["groupsClaim"], claim: string): string {
  if (groups.length > 0) {
    const more = groups.length - GROUPS_MAX
    return `groups claim "${claim}": ${groups.slice(0, GROUPS_MAX).join(", ")}${more > 0 ? `, and ${more} more` : ""}`
  }
  if (groupsClaim === undefined) return "no groups (the sign-in was stored by an older version of Workdesk)"
  return groupsClaim === "absent" ? `groups claim "${claim}" absent` : `groups claim "${claim}" present and empty`
}
