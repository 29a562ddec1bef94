/** The checks of the Work Delegation API: its address, the token, the token's scopes, and the clock. */
import { randomUUID } from "node:crypto"
import { operations } from "../../contract/operations.ts"
import type { Operation } from "../../contract/operation.ts"
import type { UpstreamConfiguration } from "../../desk/http/desk-configuration.ts"
import { classifyAnswer, findAccount } from "../../desk/proxy/upstream-answer.ts"
import { parseObject } from "../../platform/http/json-object.ts"
import { bad, type CheckLine, CLOCK_SECONDS, clockLine, describeFailure, good } from "./check-line.ts"
import { probe, type ProbeAnswer } from "./probe-request.ts"

const TOKEN = "set WORK_API_TOKEN or the file of WORK_API_TOKEN_FILE"

/** Lists one Work, then tests the token's scope for every other operation. */
export async function checkUpstream(upstream: UpstreamConfiguration): Promise<readonly CheckLine[]> {
  const { baseUrl, name } = upstream
  let answer: ProbeAnswer
  try {
    const headers = upstream.token.authorize({ accept: "application/json" })
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
  const address = good("service", `${name} responds to listWork in ${Math.round(milliseconds)} ms`)
  if (status === 401) return [address, bad("service token", "the service refuses the token (401)", TOKEN), ...clock]
  if (status === 429) {
    const change = "wait a minute and check again; if this repeats, ask for a larger quota"
    return [address, bad("service token", "the token's quota is used up (429)", change), ...clock]
  }
  if (status !== 200 && status !== 403) {
    return [bad("service", `${name} responds to listWork with ${status}`, "see the service's log"), ...clock]
  }
  const token = status === 200 ? [good("service token", describeAccount(answer))] : []
  return [address, ...token, await checkScopes(upstream, status), ...clock]
}

/** Describes an answer that isn't the API's. */
function describeStranger({ status, headers }: ProbeAnswer): string {
  if (status >= 300 && status < 400) return `responds with a redirect (${status})`
  const coding = headers["content-encoding"]
  if (coding !== undefined && coding !== "identity")
    return `compresses its responses (${String(coding)}) without being asked`
  return `responds, but not as the Work Delegation API does (${status}, ${String(headers["content-type"] ?? "no type")})`
}

function strangersChange({ status, headers }: ProbeAnswer): string {
  if (status >= 300 && status < 400) return "set WORK_API_URL to the address that it leads to"
  if (headers["content-encoding"] !== undefined)
    return "turn off compression in the proxy in front of the service (gzip off)"
  return "correct host and path of WORK_API_URL: it is the address before /api/v1"
}

function describeAccount({ text }: ProbeAnswer): string {
  const account = findAccount(parseObject(text))
  return account === undefined ? "accepted; the account has no Work yet" : `accepted, for account ${account}`
}

/**
 * Tests for each scope whether the token has it. Every request names a Work that can't exist, and no mutation has an Idempotency-Key, so the
 * service refuses it and changes nothing (400, 404 or 428). Only 403 means that the scope is missing. `listed` is the status of listWork.
 */
async function checkScopes(upstream: UpstreamConfiguration, listed: number): Promise<CheckLine> {
  const unknownWork = `workdesk-check-${randomUUID()}`
  const byScope = Map.groupBy(Object.values(operations), ({ scope }) => scope)
  const asked = [...byScope].map(async ([scope, same]) => {
    const isListed = same.some(({ id }) => id === "listWork")
    const operation = same.find(({ method }) => method === "GET") ?? same[0]
    const isMissing = isListed ? listed === 403 : await isForbidden(upstream, operation, unknownWork)
    return isMissing ? [{ scope, ids: same.map(({ id }) => id) }] : []
  })
  const missing = (await Promise.all(asked)).flat()
  if (missing.length === 0) return good("service scopes", "the token has the scopes for all operations")
  const ids = missing.flatMap((each) => each.ids)
  const change = `at the service, add ${missing.map(({ scope }) => scope).join(", ")} to the token's scopes`
  return bad("service scopes", `the token may not use ${ids.join(", ")} (403)`, change)
}

async function isForbidden(
  { baseUrl, token }: UpstreamConfiguration,
  operation: Operation | undefined,
  unknownWork: string,
): Promise<boolean> {
  if (operation === undefined) return false
  const { method, path } = operation
  const isMutation = method === "POST"
  const headers = token.authorize({
    accept: "application/json",
    ...(isMutation && { "content-type": "application/json" }),
  })
  const url = baseUrl + path.replaceAll(/\{\w+\}/g, unknownWork)
  const answer = await probe(url, { method, headers, ...(isMutation && { body: "{}" }) }).catch(() => undefined)
  return answer?.status === 403
}
