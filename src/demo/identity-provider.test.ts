import { createServer } from "node:http"
import { expect, test, onTestFinished } from "vitest"
import type { SignIn } from "../desk/people/sign-in.ts"
import { peopleForTest } from "../desk/people/testing/browser.ts"
import { demoPeople, startIdentityProvider } from "./identity-provider.ts"
import { signedOut } from "../platform/http/refusals.ts"

/** A person's browser. It keeps cookies for each host, follows redirects, and clicks on a person. */
class Visitor {
  readonly #jars = new Map<string, Map<string, string>>()

  cookiesOf(url: string): string {
    return [...(this.#jars.get(new URL(url).host) ?? [])].map(([name, value]) => `${name}=${value}`).join("; ")
  }

  storeCookies(url: string, setCookies: readonly string[]): void {
    const { host } = new URL(url)
    const jar = this.#jars.get(host) ?? new Map<string, string>()
    this.#jars.set(host, jar)
    for (const line of setCookies) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === "") jar.delete(name)
      else jar.set(name, value)
    }
  }

  /** Follows redirects from `begin` until an address starts with `end`. Sends `form` at each page of the provider. */
  async go(begin: string, end: string, form: Record<string, string>): Promise<URL> {
    let [url, body]: [string, URLSearchParams | undefined] = [begin, undefined]
    for (let step = 0; step < 20; step++) {
      if (url.startsWith(end)) return new URL(url)
      const response = await fetch(url, {
        redirect: "manual",
        method: body === undefined ? "GET" : "POST",
        headers: { Cookie: this.cookiesOf(url) },
        body: body ?? null,
      })
      this.storeCookies(url, response.headers.getSetCookie())
      const location = response.headers.get("location")
      const page = await response.text()
      if (location !== null) [url, body] = [new URL(location, url).href, undefined]
      else if (response.status === 200) {
        const action = / action="([^"]+)"/.exec(page)?.[1] ?? url
        const hidden = [...page.matchAll(/name="(\w+)" value="([^"]*)"\/>/g)].map(([, name, value]) => [name, value])
        ;[url, body] = [new URL(action, url).href, new URLSearchParams({ ...Object.fromEntries(hidden), ...form })]
      } else throw new Error(`${url}: ${response.status} ${page}`)
    }
    throw new Error("more than 20 redirects")
  }
}

async function start() {
  let signIn: SignIn | undefined
  // The provider calls this address of the desk for back-channel logout.
  const desk = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += String(chunk)))
    request.on("end", () => {
      const token = new URLSearchParams(body).get("logout_token") ?? undefined
      void signIn?.backChannelLogout(token).then(() => response.writeHead(200).end())
    })
  })
  await new Promise<void>((resolve) => desk.listen(0, "127.0.0.1", resolve))
  const address = desk.address()
  const publicUrl = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  const provider = await startIdentityProvider({ publicUrl, port: 0 })
  onTestFinished(() => {
    desk.close()
    desk.closeAllConnections()
    provider.stop()
  })
  const opened = await peopleForTest(provider, {
    clientId: provider.clientId,
    clientSecret: () => provider.clientSecret,
    publicUrl: new URL(publicUrl),
  })
  signIn = opened.signIn
  return { ...opened, publicUrl, visitor: new Visitor() }
}

test("people sign in with a certified provider, switch, and sign out", async () => {
  const { people, signIn, publicUrl, visitor } = await start()

  const signInAs = async (person: string, again: boolean) => {
    const begun = await signIn.begin({ returnTo: "/approvals", again, cookies: undefined })
    if (begun.kind === "failed") throw new Error(begun.codes)
    visitor.storeCookies(publicUrl, begun.setCookies)
    const callback = await visitor.go(begun.location, publicUrl, { person })
    const cookies = visitor.cookiesOf(publicUrl)
    const finished = await signIn.finish({ query: callback.search.slice(1), cookies })
    visitor.storeCookies(publicUrl, finished.setCookies)
    if (finished.kind === "failed") throw new Error(`${finished.reason} ${finished.codes}`)
    const session = await people.identify(visitor.cookiesOf(publicUrl))
    if ("code" in session) throw new Error(session.code)
    return session
  }

  const roles = new Map([
    ["ada", ["approver"]],
    ["ben", ["answerer", "delegator"]],
    ["cleo", ["reader"]],
    ["dora", []],
    ["emil", ["approver"]],
  ])
  for (const { subject, name, email, groups } of demoPeople) {
    // An ID token has whole seconds.
    const began = Math.floor(Date.now() / 1_000) * 1_000
    const session = await signInAs(subject, true)
    expect(session.person).toMatchObject({ name, email, roles: roles.get(subject) })
    expect(session.identity.groups).toEqual(groups)
    expect(session.authenticatedAt).toBeGreaterThanOrEqual(began)
  }
  const ben = await signInAs("ben", true)
  // The provider remembers Ben, so without `again` no person is chosen.
  expect((await signInAs("nobody", false)).person).toEqual(ben.person)

  const session = await signInAs("ben", false)
  const otherSessionEnded = new Promise<void>((resolve) => people.onSessionEnd(ben, resolve))
  const left = await signIn.signOut(session)
  if (left.location === null) throw new Error("no end-session address")
  const back = await visitor.go(left.location, publicUrl, { logout: "yes" })
  expect(back.href).toBe(`${publicUrl}/`)
  // The provider ends Ben's other session, too.
  await otherSessionEnded
  expect(await people.identify(visitor.cookiesOf(publicUrl))).toBe(signedOut)
})
