/** Compares the scopes that the desk requests with those that the provider offers. */
import type { ServerMetadata } from "openid-client"

type Asked = { readonly scopes: string; readonly groupsClaim: string; readonly needsGroups: boolean }

/** What is wrong with OIDC_SCOPES, and what to change. Undefined if nothing is known to be wrong: a provider needn't list its scopes. */
export function findScopeFault(
  { scopes, groupsClaim, needsGroups }: Asked,
  { scopes_supported: offered = [] }: ServerMetadata,
): { readonly found: string; readonly change: string } | undefined {
  const asked = scopes.split(" ")
  const unknown = offered.length === 0 ? [] : asked.filter((scope) => !offered.includes(scope))
  if (unknown.length > 0) {
    const change = "remove it from OIDC_SCOPES, or add it there"
    return { found: `the provider has no scope ${unknown.join(", ")}`, change }
  }
  if (!needsGroups || !offered.includes(groupsClaim) || asked.includes(groupsClaim)) return undefined
  const found = `the provider has a scope ${groupsClaim} for groups, but OIDC_SCOPES lacks it`
  return { found, change: `add it: OIDC_SCOPES="${scopes} ${groupsClaim}"` }
}
