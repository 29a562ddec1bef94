/** What the person of this page may do, and how they sign in and out. */
import type { SignedIn, SignOutAnswer } from "../../contract/desk-people.ts"
import type { OperationId } from "../../contract/resources.ts"
import { roleFor } from "../../contract/roles.ts"
import { errorFromResponse, throwNoAnswer } from "./desk-error.ts"
import { answerOf } from "./desk-request.ts"
import { answerWith } from "./value-schema.ts"
import { leavePage, notifyOtherTabs, useSession } from "./session.ts"

/** Why the person may not use `operation`, and whom to ask, in a sentence or two; undefined where they may. */
export function useMissingRole(operation: OperationId): string | undefined {
  const session = useSession()
  if (session === undefined || session.person.operations.includes(operation)) return undefined
  return `You don't have the ${roleFor(operation)} role. ${whomToAsk(session)}`
}

/** Whom a person asks for a role, in a sentence. */
export function whomToAsk({ contact }: Pick<SignedIn, "contact">): string {
  return contact === null ? "Ask the operator of this desk." : `Ask ${contact}.`
}

/** The address of the sign-in page, which leads back to the present address. `again` asks the provider to authenticate the person again. */
export function signInAddress({ again = false } = {}): string {
  const query = new URLSearchParams({ return: location.pathname + location.search, ...(again && { again: "1" }) })
  return `/desk/sign-in?${query}`
}

/** Opens the sign-in page in this tab. It leads back to this address. */
export function signInAgain(): void {
  leavePage(signInAddress({ again: true }))
}

/** Ends the session and opens the sign-out page of the provider, or the page `Sign in`. @throws DeskError */
export async function signOut(): Promise<void> {
  leavePage((await endSession()) ?? "/")
}

/** Ends the session, and opens the sign-in page for somebody else. @throws DeskError */
export async function switchPerson(): Promise<void> {
  await endSession()
  signInAgain()
}

/** Returns the address at the provider that the browser has to open. */
async function endSession(): Promise<string | undefined> {
  const response = await fetch("/desk/sign-out", { method: "POST" }).catch(throwNoAnswer)
  // 401: the session had ended already.
  if (!response.ok && response.status !== 401) throw await errorFromResponse(response)
  notifyOtherTabs()
  if (!response.ok) return undefined
  const answer = await answerOf(response, answerWith<SignOutAnswer>("location"))
  return answer.location !== null && /^https?:/.test(answer.location) ? answer.location : undefined
}
