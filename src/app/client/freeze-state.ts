/** What is frozen (docs/team.md, "Freeze"). The answer with the pending items brings it to every page within seconds. */
import type { SignedIn } from "../../contract/desk-people.ts"
import type { Freeze, FreezeAnswer, FreezeChange } from "../../contract/desk-work.ts"
import { isSameText } from "../../contract/same-text.ts"
import { answerOf, askDesk } from "./desk-request.ts"
import { jsonRequest } from "./desk-writes.ts"
import { useSession } from "./session.ts"
import { answerWith } from "./value-schema.ts"
import { useWaiting } from "./waiting.ts"

/** Freezes the desk or a colleague, or replaces the reason of what is frozen already. @throws DeskError */
export async function freeze(change: FreezeChange): Promise<FreezeAnswer> {
  return answerOf(await askDesk("/desk/freeze", jsonRequest("PUT", change)), answerWith<FreezeAnswer>("freezes"))
}

/** Ends the freeze of a colleague, or (null) of the desk. @throws DeskError */
export async function endFreeze(colleague: string | null): Promise<void> {
  const query = colleague === null ? "" : `?${new URLSearchParams({ colleague })}`
  await askDesk(`/desk/freeze${query}`, { method: "DELETE" })
}

/** Why nobody can approve or create Work for these colleagues now. Undefined if neither the desk nor one of them is frozen. */
export function useWhyFrozen(...colleagues: readonly (string | undefined)[]): string | undefined {
  const session = useSession()
  return useWaiting(({ waiting }) => whyFrozen(waiting?.freezes, session, colleagues))
}

/** `useWhyFrozen` for the freezes of an answer, where each of many items has its own colleagues. */
export function whyFrozen(
  freezes: readonly Freeze[] | undefined,
  session: SignedIn | undefined,
  colleagues: readonly (string | undefined)[],
): string | undefined {
  const found = freezes?.find(
    ({ colleague }) => colleague === null || colleagues.some((each) => isSameText(each ?? "", colleague)),
  )
  return found && `${formatFrozen(found, session)} Reason: ${found.reason}`
}

/** Who has frozen what. The one person of local mode is "You", because their name is `local`. */
export function formatFrozen({ colleague, by }: Freeze, session: SignedIn | undefined): string {
  const isYou = by !== "operator" && session?.mode === "local" && by.id === session.person.id
  const who = by === "operator" ? "The operator has" : isYou ? "You have" : `${by.name} has`
  return `${who} frozen ${colleague === null ? "this desk" : `the colleague ${colleague}`}.`
}
