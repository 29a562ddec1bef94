import type { SignOutAnswer } from "../../contract/desk.ts"
import { errorFromResponse, unreachable } from "./desk-error.ts"
import { leavePage, signInAddress, tellOtherTabs } from "./session.ts"

/** Ends the session and leaves the page for the provider's own sign-out, or for the page `Sign in`. @throws DeskError */
export async function signOut(): Promise<void> {
  leavePage((await endSession()) ?? "/")
}

/** Ends the session and has somebody else sign in, who comes back to this address. @throws DeskError */
export async function switchPerson(): Promise<void> {
  await endSession()
  leavePage(signInAddress({ again: true }))
}

/** Gives the address that the provider wants the browser to visit. */
async function endSession(): Promise<string | undefined> {
  const response = await fetch("/desk/sign-out", { method: "POST" }).catch((cause: unknown) => {
    throw unreachable(cause)
  })
  // 401: the session had ended already.
  if (!response.ok && response.status !== 401) throw await errorFromResponse(response)
  tellOtherTabs()
  if (!response.ok) return undefined
  const { location } = (await response.json()) as SignOutAnswer
  return location !== null && /^https?:/.test(location) ? location : undefined
}
