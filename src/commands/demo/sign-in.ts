/** Signs a person in at a desk with the demonstration's identity provider, by the requests that a browser sends. */
import type { DemoPerson } from "./identity-provider.ts"

const REDIRECTS_MAX = 10

/** The headers that the app of a person sends. */
export type PersonHeaders = { readonly Cookie: string; readonly "Desk-Person": string }

/** Keeps the cookies of each host, as a browser does. */
class Cookies {
  readonly #byHost = new Map<string, Map<string, string>>()

  for(url: URL): string {
    return [...(this.#byHost.get(url.host) ?? [])].map(([name, value]) => `${name}=${value}`).join("; ")
  }

  take(url: URL, response: Response): void {
    const cookies = this.#byHost.get(url.host) ?? new Map<string, string>()
    this.#byHost.set(url.host, cookies)
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
  }
}

/** Signs a person in. @throws Error when the desk or the provider answers in another way */
export async function signInAs(deskUrl: string, { subject }: DemoPerson): Promise<PersonHeaders> {
  const cookies = new Cookies()
  const choice = await follow(new URL("/desk/sign-in?return=/", deskUrl), cookies)
  await follow(choice, cookies, new URLSearchParams({ person: subject }))
  const desk = new URL("/desk/session", deskUrl)
  const answer = await fetch(desk, { headers: { Cookie: cookies.for(desk) } })
  const session: unknown = await answer.json()
  const id = typeof session === "object" && session !== null ? idIn(session) : undefined
  if (id === undefined) throw new Error(`${subject} could not sign in at the demonstration's desk`)
  return { Cookie: cookies.for(desk), "Desk-Person": id }
}

/** Sends a request and follows its redirects. Gives the last address, whose page nobody reads. */
async function follow(start: URL, cookies: Cookies, form?: URLSearchParams): Promise<URL> {
  let [url, body] = [start, form]
  for (let redirects = 0; redirects < REDIRECTS_MAX; redirects++) {
    const request: RequestInit = body === undefined ? {} : { method: "POST", body }
    const response = await fetch(url, { ...request, headers: { Cookie: cookies.for(url) }, redirect: "manual" })
    cookies.take(url, response)
    const location = response.headers.get("location")
    if (location === null) return url
    ;[url, body] = [new URL(location, url), undefined]
  }
  throw new Error("the demonstration's sign-in has too many redirects")
}

function idIn(session: object): string | undefined {
  const person: unknown = Reflect.get(session, "person")
  const id: unknown = typeof person === "object" && person !== null ? Reflect.get(person, "id") : undefined
  return typeof id === "string" ? id : undefined
}
