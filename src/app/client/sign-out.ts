import type { SignOutAnswer } from "../../contract/desk-people.ts"
import { errorFromResponse, throwNoAnswer, unreadable } from "./desk-error.ts"
import { leavePage, signInAddress, tellOtherTabs } from "./session.ts"

/** Ends the session and opens the sign-out page of the provider, or the page `Sign in`. @throws DeskError */
export async function signOut(): Promise<void> {
  leavePage((await endSession()) ?? "/")
}

/** Ends the session and lets somebody else sign in, who comes back to this address. @throws DeskError */
export async function switchPerson(): Promise<void> {
  await endSession()
  leavePage(signInAddress({ again: true }))
}

/** Returns the address at the provider that the browser has to open. */
async function endSession(): Promise<string | undefined> {
  const response = await fetch("/desk/sign-out", { method: "POST" }).catch(throwNoAnswer)
  const error = response.ok ? undefined : await errorFromResponse(response)
  // `unauthenticated`: the session had ended already.
  if (error !== undefined && error.failure !== "unauthenticated") throw error
  if (error !== undefined) {
    tellOtherTabs()
    return undefined
  }
  const answer: unknown = await response.json().catch(() => undefined)
  if (!isAnswer(answer)) throw unreadable(response)
  tellOtherTabs()
  return answer.location !== null && /^https?:/.test(answer.location) ? answer.location : undefined
}

function isAnswer(value: unknown): value is SignOutAnswer {
  if (typeof value !== "object" || value === null || !("location" in value)) return false
  return value.location === null || typeof value.location === "string"
}
