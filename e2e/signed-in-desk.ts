import { randomUUID } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { HostileProvider } from "../src/desk/people/testing/hostile-provider.ts"
import { CLIENT_ID } from "../src/desk/people/testing/hostile-provider.ts"
import { startDesk } from "../src/server.ts"
import { type Answer, call } from "../src/service/testing/client.ts"
import { type Program, startProgram } from "./program.ts"

export const ACCESS = {
  contact: "the finance desk",
  roles: { reader: ["anyone"], delegator: ["group:ops"], approver: ["group:finance"] },
  rules: [{ destination: "*@bank.example", preventSelfApproval: true, maxAuthenticationAgeSeconds: 3_600 }],
}

// Only redirects name it: the desk itself listens on a free port.
const PUBLIC_URL = "http://127.0.0.1:9"

export type SignedInDeskOptions = {
  readonly provider: HostileProvider
  readonly upstreamUrl: string
  /** Its files, and DATA_DIR. */
  readonly folder: string
  readonly access?: object
  readonly environment?: Readonly<Record<string, string>>
}

/** A desk in sign-in mode in this process. */
export async function openSignedInDesk(options: SignedInDeskOptions): Promise<Omit<Program, "process">> {
  let output = ""
  const desk = await startDesk(await environmentOf(options), { log: (line) => (output += `${line}\n`) })
  return { url: desk.url, output: () => output, stop: () => desk.stop() }
}

/** A desk in sign-in mode as a separate process, which can be killed. */
export async function startSignedInDesk(options: SignedInDeskOptions): Promise<Program> {
  return startProgram("src/server.ts", await environmentOf(options))
}

async function environmentOf(options: SignedInDeskOptions): Promise<Record<string, string>> {
  const { provider, upstreamUrl, folder, access = ACCESS, environment = {} } = options
  const accessFile = join(folder, "access.json")
  await writeFile(accessFile, JSON.stringify(access))
  return {
    PORT: "0",
    DATA_DIR: join(folder, "data"),
    WORK_API_URL: upstreamUrl,
    WORK_API_TOKEN: "canary-upstream-token",
    COLLEAGUES:
      "analyst=Analyst|Profiles CSV and JSON,editor=Editor|Reviews Markdown and text,metronome=Metronome|Publishes events",
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT_ID,
    PUBLIC_URL,
    ACCESS_FILE: accessFile,
    PERSON_REQUESTS_PER_MINUTE: "1000000",
    ...environment,
  }
}

/** Somebody who has signed in, over real HTTP. The session outlives the process that it began in. */
export class SignedInPerson {
  readonly id: string
  readonly #cookie: string

  private constructor(id: string, cookie: string) {
    this.id = id
    this.#cookie = cookie
  }

  /**
   * Signs in the person whom the provider's claims name. `older` is the cookie of the browser's older session, which it sends to the desk's page and not with the
   * provider's redirect. `backTo` is the desk that the redirect reaches.
   */
  static async signIn(base: string, older?: string, backTo = base): Promise<SignedInPerson> {
    const headers = older === undefined ? {} : { cookie: older }
    const begun = await fetch(`${base}/desk/sign-in?return=/`, { redirect: "manual", headers })
    const provided = await fetch(begun.headers.get("location") ?? "", { redirect: "manual" })
    const back = (provided.headers.get("location") ?? "").replace(PUBLIC_URL, backTo)
    const finished = await fetch(back, { redirect: "manual", headers: { cookie: cookiesOf(begun) } })
    if (finished.status !== 303) throw new Error(await finished.text())
    const cookie = cookiesOf(finished)
    const session = await call(base, "GET", "/desk/session", { headers: { cookie } })
    const { person } = session.body as { readonly person: { readonly id: string } }
    return new SignedInPerson(person.id, cookie)
  }

  get(base: string, target: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return call(base, "GET", target, { headers: { ...this.headers, ...headers } })
  }

  post(base: string, target: string, body: unknown, more: { key?: string; ifMatch?: string } = {}): Promise<Answer> {
    return call(base, "POST", target, { key: randomUUID(), body, ...more, headers: this.headers })
  }

  put(base: string, target: string, body: unknown): Promise<Answer> {
    return call(base, "PUT", target, { body, headers: this.headers })
  }

  delete(base: string, target: string): Promise<Answer> {
    return call(base, "DELETE", target, { key: randomUUID(), headers: this.headers })
  }

  /** Decides the approval of a Work of the deciding upstream. */
  decide(base: string, work: string, key: string, decision: "approve" | "decline" = "approve"): Promise<Answer> {
    const target = `/api/v1/work/${work}/approvals/approval-${work}/resolve`
    return this.post(base, target, { decision, comment: "canary-comment" }, { key, ifMatch: '"1"' })
  }

  /** Like `decide`, by a client that disconnects when `signal` aborts. */
  decideUntil(base: string, work: string, signal: AbortSignal): Promise<Response> {
    return fetch(`${base}/api/v1/work/${work}/approvals/approval-${work}/resolve`, {
      method: "POST",
      headers: {
        ...this.headers,
        "content-type": "application/json",
        "idempotency-key": randomUUID(),
        "if-match": '"1"',
      },
      body: JSON.stringify({ decision: "approve" }),
      signal,
    })
  }

  get headers() {
    return { cookie: this.#cookie, "desk-person": this.id }
  }
}

/** The cookies that an answer sets, as a browser sends them back. */
function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .filter((line) => !line.includes("Max-Age=0"))
    .map((line) => line.split(";", 1)[0] ?? "")
    .join("; ")
}
