/** Whether a freeze refuses a mutation (`docs/team.md`, "Freeze"). */
import type { Freeze } from "../../../contract/desk-work.ts"
import { isSameText } from "../../../contract/same-text.ts"
import type { JsonObject } from "../../../platform/http/json-object.ts"
import { Refused } from "../../../platform/http/send.ts"
import type { Reader } from "../../store/database.ts"
import { readFreezes } from "../freezes.ts"
import { frozen } from "./gate-refusals.ts"
import type { Mutation } from "./mutation.ts"

/** The colleagues whose freeze refuses a mutation. `not looked up`: nothing was frozen, so nobody had to find out. */
export type AffectedColleagues = readonly string[] | "not looked up"

/** Whether the body of a decision may count as an approve: a lenient service could accept any text but `decline` as one. */
export const mayCountAsApprove = (body: JsonObject | undefined) => body?.["decision"] !== "decline"

/** Whether a freeze can refuse a mutation: new Work, and each decision that may count as an approve. */
export function isFreezable({ operation }: Pick<Mutation, "operation">, body: JsonObject | undefined): boolean {
  return operation === "createWork" || (operation === "resolveWorkApproval" && mayCountAsApprove(body))
}

/** The colleague of new Work. If the body names none, the service may choose any colleague. */
export function affectedByNewWork(body: JsonObject | undefined, freezes: readonly Freeze[]): AffectedColleagues {
  const colleague = body?.["colleague_id"]
  if (typeof colleague === "string") return [colleague]
  return freezes.length === 0 ? "not looked up" : freezes.flatMap((each) => each.colleague ?? [])
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
 * Checks freezes again in the transaction of the intent, so that a freeze of any desk refuses at once. `not looked up`: something was frozen after
 * the first check, so the colleagues must be looked up. Undefined `colleagues`: no freeze refuses the mutation. @throws Refused (423)
 */
export async function checkFreezesAgain(
  transaction: Reader,
  colleagues: AffectedColleagues | undefined,
): Promise<"passed" | "not looked up"> {
  if (colleagues === undefined) return "passed"
  const freezes = await readFreezes(transaction)
  if (freezes.length === 0) return "passed"
  if (colleagues === "not looked up") return colleagues
  refuseFrozen(freezes, colleagues)
  return "passed"
}
