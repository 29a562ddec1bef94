/** A proxy in sign-in mode for tests, with the real store, access file and record, but without a provider. */
import { onTestFinished } from "vitest"
import { DeskRecord } from "../record/desk-record.ts"
import type { Database } from "../store/database.ts"
import { Sessions } from "../people/sessions.ts"
import { peopleForTest, type PeopleForTest } from "../people/testing/browser.ts"
import { startTestProxy, type TestProxy, type TestProxyOptions } from "./desk.ts"

const NO_PROVIDER = { issuer: "http://127.0.0.1:1" }
const LIMITS = { idleMs: 3_600_000, maxMs: 7_200_000 }

/** The headers that the app of a person sends. */
export type PersonHeaders = { readonly Cookie: string; readonly "Desk-Person": string }

export type SignInProxy = TestProxy & {
  readonly database: Database
  readonly accessFile: string
  /** Signs in a person of these groups. `email` is an address that the provider has verified. */
  readonly signIn: (name: string, groups: readonly string[], email?: string) => Promise<PersonHeaders>
}

/** A proxy in sign-in mode at http://localhost:4400, so its cookie is `workdesk-4400`. */
export async function startSignInProxy(
  upstreamUrl: string,
  { people: peopleOptions, ...options }: Omit<TestProxyOptions, "people"> & { readonly people?: PeopleForTest } = {},
): Promise<SignInProxy> {
  const publicUrl = new URL("http://localhost:4400")
  const { people, database, accessFile } = await peopleForTest(NO_PROVIDER, { ...LIMITS, publicUrl, ...peopleOptions })
  const record = new DeskRecord({
    database,
    mode: "sign-in",
    access: () => people.access(),
    checkSession: (transaction, session, operation) => people.checkStored(transaction, session, operation),
    onStored: () => undefined,
    onFailed: () => undefined,
    onHead: () => undefined,
  })
  onTestFinished(() => record.stop())
  const proxy = await startTestProxy(upstreamUrl, { ...options, people, record, database })
  const issuer = peopleOptions?.issuer ?? NO_PROVIDER.issuer
  const sessions = new Sessions(database, { ...LIMITS, issuer }, () => true)
  onTestFinished(() => sessions.stop())
  return {
    ...proxy,
    accessFile,
    database,
    async signIn(name, groups, email) {
      const identity = { issuer, subject: name, groups, ...(email !== undefined && { email }) }
      const signedIn = { name, identity, sid: undefined, authTime: Math.floor(Date.now() / 1_000) }
      const { value, personId } = await sessions.begin(signedIn, [])
      return { Cookie: `workdesk-4400=${value}`, "Desk-Person": personId }
    },
  }
}
