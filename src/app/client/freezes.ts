/** What is frozen (docs/team.md, "Freeze"). The answer about what waits says it to every page within seconds. */
import type { Freeze, FreezeChange } from "../../contract/desk-work.ts"
import { isSameText } from "../../contract/same-text.ts"
import { askDesk } from "./desk-request.ts"
import { jsonRequest } from "./desk-writes.ts"
import { useWaiting } from "./waiting.ts"

/** Freezes the desk or a colleague, or replaces the reason of what is frozen already. @throws DeskError */
export async function freeze(change: FreezeChange): Promise<void> {
  await askDesk("/desk/freeze", jsonRequest("PUT", change))
}

/** Ends the freeze of a colleague, or (null) of the desk. @throws DeskError */
export async function endFreeze(colleague: string | null): Promise<void> {
  const query = colleague === null ? "" : `?${new URLSearchParams({ colleague })}`
  await askDesk(`/desk/freeze${query}`, { method: "DELETE" })
}

/** Why nothing is approved, and no Work created, for any of these colleagues. Undefined while nothing keeps a person from it. */
export function useWhyFrozen(...colleagues: readonly (string | undefined)[]): string | undefined {
  return useWaiting(({ waiting }) => {
    const found = waiting?.freezes?.find(
      ({ colleague }) => colleague === null || colleagues.some((each) => isSameText(each ?? "", colleague)),
    )
    return found && `${sayFrozen(found)} The reason: ${found.reason}`
  })
}

/** Who has frozen what. */
export const sayFrozen = ({ colleague, by }: Freeze) =>
  `${by === "operator" ? "The operator" : by.name} has frozen ${colleague === null ? "this desk" : `the colleague ${colleague}`}.`
