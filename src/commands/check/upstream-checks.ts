/** The checks of the Work Delegation API: its address, the token, the token's scopes, and the clock. */
import { randomUUID } from "node:crypto"
import { operations } from "../../contract/operations.ts"
import type { Operation } from "../../contract/operation.ts"
import type { UpstreamConfiguration } from "../../desk/http/desk-configuration.ts"
import { classifyAnswer } from "../../desk/proxy/upstream-answer.ts"
import { isObject, parseObject } from "../../platform/http/json-object.ts"
import { bad, type CheckLine, clockLine, describeFailure, good } from "./check-line.ts"
import { probe, type ProbeAnswer } from "./probe-request.ts"

const CLOCK_SECONDS = 60
const TOKEN = "set WORK_API_TOKEN or the file of WORK_API_TOKEN_FILE"

/** Lists one Work, and asks about the scopes of the other operations. */
export async function checkUpstream(upstream: UpstreamConfiguration): Promise<readonly CheckLine[]> {
  const { baseUrl, name, token } = upstream
  let answer: ProbeAnswer
  try {
    const headers = token.authorize({ accept: "application/json" })
    answer = await probe(`${baseUrl}/api/v1/work?limit=1`, { headers })
  } catch (error) {
    const { found, change } = describeFailure(error, "correct WORK_API_URL, or start the service")
    return [bad("service", `${name}: ${found}`, change)]
  }
  const { status, date, middle, milliseconds } = answer
  const clock = clockLine("service clock", {
    whose: "the service's",
    theirs: date,
    middle,
    allowedSeconds: CLOCK_SECONDS,
  })
  const kind = classifyAnswer(operations.listWork, status, answer.headers)
  if (kind === undefined)
    return [bad("service", `${name} ${describeStranger(answer)}`, strangersChange(answer)), ...clock]
  const address = good("service", `${name} answers listWork after ${Math.round(milliseconds)} ms`)
  if (status === 401) return [address, bad("service token", "the service refuses the token (401)", TOKEN), ...clock]
  if (status === 429) {
    const change = "wait a minute, and check again; ask for a larger quota if it lasts"
    return [address, bad("service token", "the token's quota is used up (429)", change), ...clock]
  }
  if (status !== 200 && status !== 403) {
    return [bad("service", `${name} answers listWork with ${status}`, "look into the service's own log"), ...clock]
  }
  const missing = status === 403 ? ["listWork"] : []
  const account = status === 200 ? good("service token", describeAccount(answer)) : undefined
  return [address, ...(account ? [account] : []), await checkScopes(upstream, missing), ...clock]
}

/** What answers, when it is not the API. */
function describeStranger({ status, headers }: ProbeAnswer): string {
  if (status >= 300 && status < 400) return `answers with a redirect (${status})`
  const coding = headers["content-encoding"]
  if (coding !== undefined && coding !== "identity")
    return `compresses its answers (${String(coding)}) although nobody asks`
  return `answers, but not as the Work Delegation API does (${status}, ${String(headers["content-type"] ?? "no type")})`
}

function strangersChange({ status, headers }: ProbeAnswer): string {
  if (status >= 300 && status < 400) return "set WORK_API_URL to the address that it leads to"
  if (headers["content-encoding"] !== undefined)
    return "switch compression off in the proxy in front of the service (gzip off)"
  return "correct host and path of WORK_API_URL: it is the address before /api/v1"
}

/** The account is known from a Work that it has created. */
function describeAccount({ text }: ProbeAnswer): string {
  const works = parseObject(text)?.["data"]
  const [work]: readonly unknown[] = Array.isArray(works) ? works : []
  const account = isObject(work) ? work["created_by"] : undefined
  return typeof account === "string" ? `accepted, for the account ${account}` : "accepted; the account has no Work yet"
}

/**
 * Asks for each operation whether the token has its scope. Every request names a Work that cannot exist, and no mutation has an Idempotency-Key,
 * so the service refuses it and changes nothing (400, 404 or 428). Only 403 means that the scope is missing.
 */
async function checkScopes({ baseUrl, token }: UpstreamConfiguration, known: readonly string[]): Promise<CheckLine> {
  const nobody = `workdesk-check-${randomUUID()}`
  // One operation tells of all that have its scope.
  const byScope = Map.groupBy(Object.values(operations), ({ scope }) => scope)
  const asked = [...byScope.values()].map(async (same): Promise<readonly string[]> => {
    const names = same.map(({ id }) => id)
    if (names.includes("listWork")) return known.length > 0 ? names : []
    const operation = same.find(({ method }) => method === "GET") ?? same[0]
    return operation !== undefined && (await isForbidden(operation, nobody, { baseUrl, token })) ? names : []
  })
  const missing = (await Promise.all(asked)).flat()
  if (missing.length === 0) return good("service scopes", "the token has the scope of each operation")
  const scopes = [
    ...new Set(Object.values(operations).flatMap(({ id, scope }) => (missing.includes(id) ? [scope] : []))),
  ]
  const change = `give the token's account ${scopes.join(", ")} at the service`
  return bad("service scopes", `the token may not use ${missing.join(", ")} (403)`, change)
}

async function isForbidden(
  { method, path }: Operation,
  nobody: string,
  { baseUrl, token }: Pick<UpstreamConfiguration, "baseUrl" | "token">,
): Promise<boolean> {
  const isMutation = method === "POST"
  const headers = token.authorize({
    accept: "application/json",
    ...(isMutation && { "content-type": "application/json" }),
  })
  const url = baseUrl + path.replaceAll(/\{\w+\}/g, nobody)
  const answer = await probe(url, { method, headers, ...(isMutation && { body: "{}" }) }).catch(() => undefined)
  return answer?.status === 403
}
