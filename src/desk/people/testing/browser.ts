/** What tests of sign-in share: people with a provider, and a browser that keeps cookies and follows the provider's redirect. */
import { onTestFinished } from "vitest"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { RereadFiles } from "../../../platform/reread-files.ts"
import type { SignInConfiguration } from "../sign-in-configuration.ts"
import { openPeople } from "../open-people.ts"
import type { People } from "../people-interface.ts"
import type { SignInFailed } from "../sign-in-failures.ts"
import type { SignIn, SignInFinished } from "../sign-in.ts"
import type { Database } from "../../store/database.ts"
import { CLIENT_ID, type HostileProvider } from "./hostile-provider.ts"
import { databaseForTest, folderForTest } from "../../store/testing/stores.ts"

export const PUBLIC_URL = "https://desk.example"
export const CALLBACK_PATH = "/desk/sign-in/callback"

/** Roles of the tests: finance approves, ops answers and delegates, staff reads. */
export const ACCESS = {
  contact: "the finance desk",
  roles: {
    reader: ["group:staff"],
    answerer: ["group:ops"],
    delegator: ["group:ops"],
    approver: ["group:finance"],
  },
}

export type PeopleUnderTest = {
  readonly people: People
  readonly signIn: SignIn
  readonly database: Database
  readonly accessFile: string
  readonly warned: string[]
}

export type PeopleForTest = Partial<SignInConfiguration> & {
  readonly database?: Database
  readonly access?: object
  readonly providerSeconds?: number
}

/** Opens sign-in with a provider until the test is over, on a store of its own unless `database` is given. */
export async function peopleForTest(
  provider: Pick<HostileProvider, "issuer">,
  { database, access = ACCESS, providerSeconds, ...changed }: PeopleForTest = {},
): Promise<PeopleUnderTest> {
  const folder = await folderForTest()
  const accessFile = join(folder, "access.json")
  await writeFile(accessFile, JSON.stringify(access))
  const store = database ?? (await databaseForTest({ dataFolder: folder, databaseUrl: undefined }))
  const warned: string[] = []
  const files = new RereadFiles()
  files.onFault = (sentence) => warned.push(sentence)
  onTestFinished(() => files.stop())
  const people = openPeople({
    configuration: {
      mode: "sign-in",
      issuer: provider.issuer,
      clientId: CLIENT_ID,
      clientSecret: undefined,
      secretIn: undefined,
      scopes: "openid profile email",
      groupsClaim: "groups",
      publicUrl: new URL(PUBLIC_URL),
      accessFile,
      idleMs: 3_600_000,
      maxMs: 7_200_000,
      ...changed,
    },
    database: store,
    callbackPath: CALLBACK_PATH,
    ...(providerSeconds === undefined ? {} : { providerSeconds }),
    warn: (message) => warned.push(message),
    files,
  })
  onTestFinished(() => people.stop())
  if (people.signIn === undefined) throw new Error("sign-in mode has sign-in")
  return { people, signIn: people.signIn, database: store, accessFile, warned }
}

/** Keeps cookies by the rules of RFC 6265bis: a redirect of another site, such as the provider's, gets no Strict cookie. */
export class Browser {
  readonly #jar = new Map<string, { readonly value: string; readonly isStrict: boolean }>()

  /** The Cookie header that the browser sends with a request of the desk's own page. */
  get cookies(): string {
    return headerOf([...this.#jar])
  }

  /** The Cookie header that the browser sends when the provider redirects back. */
  get cookiesAfterProvider(): string {
    return headerOf([...this.#jar].filter(([, { isStrict }]) => !isStrict))
  }

  get names(): readonly string[] {
    return [...this.#jar.keys()]
  }

  /** The value of the session's cookie. */
  get session(): string | undefined {
    return this.#jar.get("__Host-workdesk")?.value
  }

  take(setCookies: readonly string[]): void {
    for (const line of setCookies) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (line.includes("Max-Age=0")) this.#jar.delete(name)
      else this.#jar.set(name, { value, isStrict: line.includes("SameSite=Strict") })
    }
  }

  /** Goes to the provider and comes back: the query of the callback. */
  async visitProvider(signIn: SignIn, asked: { returnTo?: string; again?: boolean } = {}): Promise<string> {
    const { returnTo, again = false } = asked
    const begun = await signIn.begin({ returnTo, again, cookies: this.cookies })
    this.take(begun.setCookies)
    if (begun.kind === "failed") throw new Error(`${begun.reason}: ${begun.codes}`)
    const response = await fetch(begun.location, { redirect: "manual" })
    return new URL(response.headers.get("location") ?? "").search.slice(1)
  }

  /** Ends a sign-in with the query of the callback. */
  async comeBack(signIn: SignIn, query: string): Promise<SignInFinished | SignInFailed> {
    const result = await signIn.finish({ query, cookies: this.cookiesAfterProvider })
    this.take(result.setCookies)
    return result
  }

  /** Signs in: goes to the provider, comes back, and finishes. */
  async signIn(
    signIn: SignIn,
    asked: { returnTo?: string; again?: boolean } = {},
  ): Promise<SignInFinished | SignInFailed> {
    return this.comeBack(signIn, await this.visitProvider(signIn, asked))
  }
}

function headerOf(cookies: readonly (readonly [string, { readonly value: string }])[]): string {
  return cookies.map(([name, { value }]) => `${name}=${value}`).join("; ")
}
