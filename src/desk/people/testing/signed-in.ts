/** What the tests of sign-in and of sessions share: a provider, people, and a browser before or after signing in. */
import { expect } from "vitest"
import type { People, Session } from "../people-interface.ts"
import { Browser, peopleForTest, type PeopleForTest, type PeopleUnderTest } from "./browser.ts"
import { HostileProvider } from "./hostile-provider.ts"

export type BrowserBeforeSignIn = PeopleUnderTest & { readonly provider: HostileProvider; readonly browser: Browser }

/** A provider, people, and a browser that has not signed in. */
export async function beforeSignIn(options: PeopleForTest = {}): Promise<BrowserBeforeSignIn> {
  const provider = await HostileProvider.start()
  return { provider, ...(await peopleForTest(provider, options)), browser: new Browser() }
}

/** A provider, people, and a browser that has signed in. */
export async function signedIn(
  options: PeopleForTest = {},
): Promise<BrowserBeforeSignIn & { readonly session: Session }> {
  const desk = await beforeSignIn(options)
  expect(await desk.browser.signIn(desk.signIn)).toMatchObject({ kind: "finished" })
  return { ...desk, session: await sessionOf(desk.people, desk.browser) }
}

/** The session of a browser that has signed in. */
export async function sessionOf(people: People, browser: Browser): Promise<Session> {
  const session = await people.identify(browser.cookies)
  if ("code" in session) throw new Error(session.code)
  return session
}

/** Waits until the listener of a session is called. */
export function whenTold(people: People, session: Session): Promise<void> {
  return new Promise((resolve) => people.onSessionEnd(session, resolve))
}
