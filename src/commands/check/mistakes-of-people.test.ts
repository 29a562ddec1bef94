/** Mistakes that people meet first: the line of `--check`, the page that the person sees, and the line of the log. Each says where to look. */
import { writeFile } from "node:fs/promises"
import { expect, it, onTestFinished } from "vitest"
import { CLIENT_ID, CLIENT_SECRET, HostileProvider } from "../../desk/people/testing/hostile-provider.ts"
import { freePort } from "../../desk/store/testing/free-port.ts"
import { NOBODY } from "../../service/testing/test-service.ts"
import { startDesk } from "../../server.ts"
import { goodVariables, startFront, startNginx, type Variables } from "../testing/good-desk.ts"
import { runChecks } from "./run-checks.ts"

type Mistake = {
  readonly change: (good: Variables, provider: HostileProvider) => Promise<Variables> | Variables
  /** A line of `--check` that isn't good, with what to change. Left out if the check can't notice the mistake. */
  readonly check?: RegExp
  /** What the person sees after the sign-in, or the Problem of their first list. */
  readonly page: RegExp
  /** A line of the log. */
  readonly log: RegExp
}

const TEN_MINUTES_SECONDS = 600

const MISTAKES: Readonly<Record<string, Mistake>> = {
  "a wrong client secret": {
    change: (good) => ({ ...good, OIDC_CLIENT_SECRET: "wrong-secret-77aa" }),
    check: /client secret.*refuses the client or its secret.*OIDC_CLIENT_SECRET/,
    page: /^502 [^]*administrator can find the reason in the desk's log/,
    log: /change OIDC_CLIENT_ID, OIDC_CLIENT_SECRET or its file/,
  },
  "a client secret that the provider wants in the body": {
    change: (good, provider) => {
      provider.secretIn = "body"
      return good
    },
    check: /client secret.*OIDC_CLIENT_SECRET_IN=body/,
    page: /^502 [^]*administrator can find the reason in the desk's log/,
    log: /change OIDC_CLIENT_ID, OIDC_CLIENT_SECRET or its file/,
  },
  "a provider whose clock is 10 minutes behind": {
    change: (good, provider) => {
      shiftClock(provider, -TEN_MINUTES_SECONDS)
      return good
    },
    check: /provider clock.*(?:599|600|601) s behind.*synchronize the clocks/,
    page: /Sign-in refused[^]*administrator can find the reason in the desk's log/,
    log: /clocks of the provider and of this machine differ: synchronize them/,
  },
  "a provider that sends no groups": {
    change: (good, provider) => {
      provider.claims = { sub: "ada", name: "Ada Lovelace" }
      return good
    },
    page: /^403 .*no role at this desk/,
    log: /no role: name \\"Ada Lovelace\\", subject \\"ada\\", groups claim \\"groups\\" absent/,
  },
  "groups in another claim": {
    change: (good, provider) => {
      provider.claims = { sub: "ada", name: "Ada Lovelace", groups: ["finance"] }
      return { ...good, OIDC_GROUPS_CLAIM: "roles" }
    },
    page: /^403 .*no role at this desk/,
    log: /groups claim \\"roles\\" absent/,
  },
  "a token that the service refuses": {
    change: (good) => ({ ...good, WORK_API_TOKEN: "wrong-token-5e1f" }),
    check: /service token.*refuses the token \(401\).*WORK_API_TOKEN/,
    page: /^401 .*The bearer credential is missing, invalid or revoked/,
    log: /refuses the token \(401\): change WORK_API_TOKEN/,
  },
  "a token that may not list Work": {
    change: (good) => ({ ...good, WORK_API_TOKEN: NOBODY }),
    check: /service scopes.*listWork.*add .*work:read.* to the token's scopes/,
    page: /^403 .*The credential lacks the scope work:read/,
    log: /lacks the scope work:read/,
  },
  "a service that is down": {
    change: async (good) => ({ ...good, WORK_API_URL: `http://127.0.0.1:${await freePort()}` }),
    check: /service.*nothing listens.*WORK_API_URL/,
    page: /^502 .*The service can't be reached/,
    log: /does not answer \(refused\): check WORK_API_URL/,
  },
  "a front of the service that answers with a page": {
    change: async (good) => {
      const front = await startFront(good["WORK_API_URL"] ?? "", { headers: { "content-type": "text/html" } })
      return { ...good, WORK_API_URL: front }
    },
    check: /service.*not as the Work Delegation API does.*WORK_API_URL/,
    page: /^502 .*invalid for this operation/,
    log: /does not answer \(not_the_operation\): check WORK_API_URL/,
  },
  "a proxy that replaces Host": {
    change: async (good) => {
      const front = await freePort()
      await startNginx(front, { location: `proxy_pass http://127.0.0.1:${good["PORT"] ?? ""};` })
      return { ...good, PUBLIC_URL: `http://localhost:${front}` }
    },
    check: /proxy.*replaces the Host header.*proxy_set_header Host/,
    page: /^421 [^]*must configure the proxy to pass on the Host header/,
    log: /let the proxy in front pass on the Host header, or add the name to ALLOWED_HOSTS/,
  },
}

const ACCESS = { contact: "the finance desk", roles: { approver: ["group:finance"] } }

/** The claims and the answers' dates come from the same clock. */
function shiftClock(provider: HostileProvider, seconds: number): void {
  const date = new Date(Date.now() + seconds * 1_000).toUTCString()
  provider.lie = ({ iat = 0, exp = 0, ...claims }) => ({ ...claims, iat: iat + seconds, exp: exp + seconds })
  provider.answer = (_, answer) => ({ ...answer, headers: { ...answer.headers, date } })
}

/** Signs in as a browser does. @returns what the person sees: the page of a failed sign-in, or the answer to the first list */
async function readFirstPage(publicUrl: string): Promise<string> {
  const cookies = new Map<string, string>()
  const headers = () => ({ accept: "text/html", cookie: [...cookies].map((cookie) => cookie.join("=")).join("; ") })
  let url = new URL("/desk/sign-in?return=/work", publicUrl)
  for (;;) {
    const answer = await fetch(url, { headers: headers(), redirect: "manual" })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = answer.headers.get("location")
    if (location === null) return `${answer.status} ${await answer.text()}`
    url = new URL(location, url)
    if (url.pathname === "/work") break
  }
  const answer = await fetch(new URL("/api/v1/work", publicUrl), { headers: headers() })
  return `${answer.status} ${await answer.text()}`
}

it.each(Object.entries(MISTAKES))("%s", async (_, { change, check, page, log }) => {
  const provider = await HostileProvider.start()
  const good = await goodVariables()
  const client = { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET: CLIENT_SECRET }
  provider.secretIn = "header"
  await writeFile(good["ACCESS_FILE"] ?? "", JSON.stringify(ACCESS))
  const variables = await change({ ...good, ...client }, provider)

  const faults = (await runChecks(variables)).filter((line) => !line.good && line.check !== "app")
  const printed = faults.map((line) => `${line.check}: ${line.found}: ${line.change ?? ""}`)
  expect(printed).toEqual(check === undefined ? [] : [expect.stringMatching(check)])

  const lines: string[] = []
  const desk = await startDesk(variables, { log: (line) => void lines.push(line) })
  onTestFinished(() => desk.stop())
  desk.announce()
  expect(await readFirstPage(variables["PUBLIC_URL"] ?? "")).toMatch(page)
  await expect.poll(() => lines.join(""), { timeout: 10_000 }).toMatch(log)
})
