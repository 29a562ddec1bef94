/** Describes the running desk for the log or the terminal: store, service, sign-in, approvers, notices, version. Warns if the service doesn't answer. */
import { setTimeout as delay } from "node:timers/promises"
import type { Member } from "./desk/people/access-file.ts"
import type { People } from "./desk/people/people-interface.ts"
import type { DeskConfiguration } from "./desk/http/desk-configuration.ts"
import { findAccount } from "./desk/proxy/upstream-answer.ts"
import { isRefusal, type Refusal } from "./platform/http/refusals.ts"
import type { Answer } from "./platform/http/send.ts"

export type StartDescription = Readonly<
  Record<"people_use" | "store" | "service" | "sign_in" | "approvers" | "notices" | "version", string>
>

type Described = {
  readonly configuration: DeskConfiguration
  readonly people: People
  readonly url: string
  readonly version: string
  readonly service: ServiceState
}

/** Describes the running desk. No value is a secret, a path or a person's address. */
export function describeStart({ configuration, people, url, version, service }: Described): StartDescription {
  const { people: signIn, notices, databaseUrl, upstream } = configuration
  const account = service.account === undefined ? "" : `, as ${service.account}`
  return {
    people_use: addressOf(configuration, url),
    store: databaseUrl === undefined ? "SQLite in DATA_DIR, for one desk" : `PostgreSQL at ${hostOf(databaseUrl())}`,
    service: upstream === undefined ? "embedded, in DATA_DIR" : `${upstream.name}${account}`,
    sign_in: signIn.mode === "local" ? "none: one person, on this machine" : hostOf(signIn.issuer),
    approvers: signIn.mode === "local" ? "the one person" : formatApprovers(people.access().roles.approver),
    notices: notices.map(({ name }) => name).join(", ") || "none",
    version,
  }
}

/** The address that people use. */
export function addressOf({ people }: Pick<DeskConfiguration, "people">, url: string): string {
  return people.mode === "local" ? url : people.publicUrl.origin
}

const hostOf = (address: string) => URL.parse(address)?.host ?? ""

/** Names groups only, because a log names no person. */
function formatApprovers(members: readonly Member[]): string {
  if (members.length === 0) return "nobody: ACCESS_FILE names no approver"
  const groups = members.flatMap((member) => (member.kind === "group" ? [`group ${member.name}`] : []))
  const anyone = members.some(({ kind }) => kind === "anyone") ? ["anyone who can sign in"] : []
  const others = members.length - groups.length - anyone.length
  return [...anyone, ...groups, ...(others === 0 ? [] : [`${others} named in ACCESS_FILE`])].join(", ")
}

/** Lines for a terminal. */
export function formatDescription(description: StartDescription): string {
  return Object.entries(description)
    .map(([name, value]) => `  ${name.replace("_", " ").replace("sign in", "sign-in").padEnd(11)} ${value}`)
    .join("\n")
}

/** The result of the first read of the service. `warning` is a sentence that names what to change. */
export type ServiceState = { readonly account?: string | undefined; readonly warning?: string }

const UNAUTHORIZED = 401
const FORBIDDEN = 403
const TOO_MANY_REQUESTS = 429
/** The warning must appear within 5 s of the start. */
const ASK_MS = 4_000

/** Asks the service once. Resolves within 4 s. */
export async function readServiceState(name: string, ask: () => Promise<Answer | Refusal>): Promise<ServiceState> {
  const stop = new AbortController()
  const late = delay(ASK_MS, undefined, { signal: stop.signal, ref: false }).catch(() => undefined)
  const answer = await Promise.race([ask(), late])
  stop.abort()
  const check = "run `npm run check` to see what to change"
  if (answer === undefined)
    return { warning: `the service at ${name} has not answered for 4 s: check WORK_API_URL, or ${check}` }
  if (isRefusal(answer)) {
    const cause = answer.cause ?? "no answer"
    return { warning: `the service at ${name} does not answer (${cause}): check WORK_API_URL, or ${check}` }
  }
  if (answer.status === UNAUTHORIZED)
    return {
      warning: `the service at ${name} refuses the token (401): change WORK_API_TOKEN or the file of WORK_API_TOKEN_FILE`,
    }
  if (answer.status === FORBIDDEN)
    return {
      warning: `the service at ${name} refuses listWork (403): the token of WORK_API_TOKEN lacks the scope work:read`,
    }
  if (answer.status >= 400 && answer.status !== TOO_MANY_REQUESTS)
    return { warning: `the service at ${name} answers ${answer.status}: check WORK_API_URL, or ${check}` }
  return { account: findAccount(answer.json) }
}
