/** Signs a person in at a desk with the demonstration's identity provider, by the requests that a browser sends. */
import * as v from "valibot"

const REDIRECTS_MAX = 10

/** The headers that the app of a person sends. */
export type PersonHeaders = { readonly Cookie: string; readonly "Desk-Person": string }

const Session = v.object({ person: v.object({ id: v.string() }) })

/** Signs a person in. @throws Error when the desk or the provider answers in another way */
export async function signInAs(deskUrl: string, subject: string): Promise<PersonHeaders> {
  // The cookies of the desk and of the provider have different names, so they are kept and sent together.
  const cookies = new Map<string, string>()
  const choice = await follow(new URL("/desk/sign-in?return=/", deskUrl), cookies)
  await follow(choice, cookies, new URLSearchParams({ person: subject }))
  const answer = await fetch(new URL("/desk/session", deskUrl), { headers: { Cookie: cookieHeader(cookies) } })
  const { person } = v.parse(Session, await answer.json())
  return { Cookie: cookieHeader(cookies), "Desk-Person": person.id }
}

const cookieHeader = (cookies: ReadonlyMap<string, string>) =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")

/** Sends a request and follows its redirects. Returns the last address, whose page nobody reads. */
async function follow(start: URL, cookies: Map<string, string>, form?: URLSearchParams): Promise<URL> {
  let [url, body] = [start, form]
  for (let redirects = 0; redirects < REDIRECTS_MAX; redirects++) {
    const request: RequestInit = body === undefined ? {} : { method: "POST", body }
    const response = await fetch(url, { ...request, headers: { Cookie: cookieHeader(cookies) }, redirect: "manual" })
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get("location")
    if (location === null) return url
    ;[url, body] = [new URL(location, url), undefined]
  }
  throw new Error("the demonstration's sign-in has too many redirects")
}
