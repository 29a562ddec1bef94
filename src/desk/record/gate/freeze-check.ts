/** Whether a freeze refuses a mutation (`docs/team.md`, "Freeze"). */
import type { Freeze } from "../../../contract/desk-work.ts"
import { isSameText } from "../../../contract/same-text.ts"
import type { JsonObject } from "../../../platform/http/json-object.ts"
import { Refused } from "../../../platform/http/send.ts"
import type { Reader } from "../../store/database.ts"
import { readFreezes } from "../freezes.ts"
import { frozen } from "./gate-refusals.ts"
import type { Mutation } from "./mutation.ts"

/** The colleagues whose freeze refuses a mutation. `unknown`: they were not looked up, because nothing was frozen at that time. */
export type Freezable = readonly string[] | "unknown"

/**
 * Whether a freeze can refuse a mutation: new Work, and every decision that is not exactly `decline`, because a lenient service could read any other
 * text as an approval.
 */
export function isFreezable({ operation }: Pick<Mutation, "operation">, body: JsonObject | undefined): boolean {
  return operation === "createWork" || (operation === "resolveWorkApproval" && body?.["decision"] !== "decline")
}

/** The colleague of new Work. Without a text, the service may choose any colleague. */
export function colleagueOfNewWork(body: JsonObject | undefined, freezes: readonly Freeze[]): Freezable {
  const colleague = body?.["colleague_id"]
  if (typeof colleague === "string") return [colleague]
  return freezes.length === 0 ? "unknown" : freezes.flatMap((each) => each.colleague ?? [])
}

/** Whether a freeze is of this colleague, or of the whole desk. */
export function isFrozenBy({ colleague: frozen }: Freeze, colleague: string): boolean {
  return frozen === null || isSameText(colleague, frozen)
}

/** @throws Refused (423) when the desk or one of the colleagues is frozen */
export function refuseFrozen(freezes: readonly Freeze[], colleagues: readonly string[]): void {
  const found = freezes.find(
    (freeze) => freeze.colleague === null || colleagues.some((each) => isFrozenBy(freeze, each)),
  )
  if (found !== undefined) throw new Refused(frozen(found))
}

/**
 * Checks freezes in the transaction that stores the intent, so that a freeze of any desk refuses at once. Gives true when something was frozen after
 * the earlier check, so that the colleagues must be looked up first.
 * @throws Refused (423)
 */
export async function mustLookUpColleagues(transaction: Reader, colleagues: Freezable | undefined): Promise<boolean> {
  if (colleagues === undefined) return false
  const freezes = await readFreezes(transaction)
  if (freezes.length === 0) return false
  if (colleagues === "unknown") return true
  refuseFrozen(freezes, colleagues)
  return false
}
