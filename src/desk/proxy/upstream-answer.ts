/** Checks that an upstream's answer is one that openapi.yaml has for the operation. */
import { isUtf8 } from "node:buffer"
import type { IncomingHttpHeaders } from "node:http"
import type { Operation, SuccessKind } from "../../contract/operation.ts"
import { operations } from "../../contract/operations.ts"
import { parseJson, stringifyJson } from "../../contract/int64.ts"
import { isObject, type JsonObject, parseObject } from "../../platform/http/json-object.ts"
import { mediaTypeOf } from "../../platform/http/http-fields.ts"
import { isProblem, PROBLEM_MEDIA_TYPE } from "../../contract/problem.ts"
import type { Answer } from "../../platform/http/send.ts"
import type { Token } from "./token.ts"

const MEDIA_TYPES = {
  json: "application/json",
  "event-stream": "text/event-stream",
  "octet-stream": "application/octet-stream",
}

/** The kind of an answer. Undefined when openapi.yaml has no such answer for the operation. */
export function classifyAnswer(
  operation: Operation,
  status: number,
  headers: IncomingHttpHeaders,
): SuccessKind | "problem" | undefined {
  if (isEncoded(headers)) return undefined
  const success = operation.success[status]
  if (success !== undefined && isMediaType(headers, MEDIA_TYPES[success])) return success
  return status >= 400 && isMediaType(headers, PROBLEM_MEDIA_TYPE) ? "problem" : undefined
}

function isMediaType(headers: IncomingHttpHeaders, expected: string): boolean {
  return mediaTypeOf(headers["content-type"] ?? "") === expected
}

/** The proxy asks for the identity coding, because it could not check a compressed answer. */
function isEncoded(headers: IncomingHttpHeaders): boolean {
  const { "content-encoding": content = "identity", "transfer-encoding": transfer = "chunked" } = headers
  return content.toLowerCase() !== "identity" || transfer.toLowerCase() !== "chunked"
}

/** The account of the token, from a Work that it has created. Control characters are replaced. Undefined while there is no Work. */
export function findAccount(list: JsonObject | undefined): string | undefined {
  const works = list?.["data"]
  const [work]: readonly unknown[] = Array.isArray(works) ? works : []
  const account = isObject(work) ? work["created_by"] : undefined
  return typeof account === "string" ? account.replaceAll(/[\p{Cc}\p{Cf}]/gu, "\u{FFFD}").slice(0, 100) : undefined
}

type CheckedBody = Pick<Answer, "body" | "json" | "upstreamRequestId">

// The embedded service's ids have 36 characters. The limit keeps a log line short whatever the upstream sends.
const LOGGED_ID_MAX_CHARACTERS = 200

/**
 * Checks a JSON answer and returns its bytes unchanged, except that the token is replaced. Returns undefined when the body is not a JSON object,
 * or when an error is not a Problem. The members of a success are not checked, because openapi.yaml leaves many values open.
 */
export function checkBody(body: Buffer, status: number, token: Token): CheckedBody | undefined {
  if (!isUtf8(body)) return undefined
  try {
    return status < 400 ? checkSuccess(body, token) : checkProblem(body, token)
  } catch {
    return undefined
  }
}

function checkSuccess(body: Buffer, token: Token): CheckedBody | undefined {
  const text = body.toString("utf8")
  const json = parseObject(text)
  return json && { body: token.concealBytes(body, text), json }
}

function checkProblem(body: Buffer, token: Token): CheckedBody | undefined {
  const text = body.toString("utf8")
  const problem = parseJson(text)
  if (!isProblem(problem)) return undefined
  const id = problem.request_id.slice(0, LOGGED_ID_MAX_CHARACTERS)
  const upstreamRequestId = token.isIn(problem.request_id) ? "concealed" : id
  // A JSON escape could hide the token in `text`, but not in the text that is written anew.
  const written = stringifyJson(problem)
  if (!token.isIn(text) && !token.isIn(written)) return { body, upstreamRequestId }
  // `conceal` does not find every percent-encoding that `isIn` finds.
  const concealed = token.conceal(written)
  return token.isIn(concealed) ? undefined : { body: Buffer.from(concealed), upstreamRequestId }
}

/**
 * Whether an answer is about what its address names: the upload, the Work, the decided item, or for each item of a list its Work. A balancer
 * that decodes paths could otherwise give the answer of another address, which the person may not see.
 */
export function isOfAddress({ id: operation, path }: Operation, target: string, json: JsonObject): boolean {
  const [first, second] = idsOf(path, target)
  const { id, work_id: workId, data } = json
  switch (operation) {
    case "getInputUpload":
    case "getWork":
      return id === first
    case "retryInputUploadProcessing":
      return isUnnamedOr(first, id)
    case "resolveWorkAttention":
    case "resolveWorkApproval":
      return isUnnamedOr(second, id) && isUnnamedOr(first, workId)
    case "listWorkAttention":
    case "listWorkApprovals":
    case "listWorkArtifacts":
      return Array.isArray(data) && isListOf(first, data)
    // Their addresses name nothing that the answer names, or the answer isn't JSON.
    case "createInputUpload":
    case "createWork":
    case "listWork":
    case "streamWorkEvents":
    case "downloadWorkArtifact":
      return true
  }
}

/** A malformed item may name no Work, if another item shows that the list is the right one. */
function isListOf(workId: string | undefined, items: readonly unknown[]): boolean {
  const named = items.flatMap((item) => (isObject(item) && typeof item["work_id"] === "string" ? item["work_id"] : []))
  return named.every((id) => id === workId) && (named.length > 0 || items.length === 0)
}

/** The answer to a mutation may leave out what it is about, because it shows nothing that was not sent. */
const isUnnamedOr = (expected: string | undefined, id: unknown) => id === undefined || id === expected

/** Finds the ids in a target of each operation. Kept, because every answer is checked. */
const idPatterns = new Map(
  Object.values(operations).map(({ path }) => [path, new RegExp(`^${path.replaceAll(/\{\w+\}/g, "([^/?]*)")}`)]),
)

function idsOf(path: string, target: string): readonly string[] {
  const [, first = "", second = ""] = idPatterns.get(path)?.exec(target) ?? []
  return [first, second].map(decodeOnce)
}

const decodeOnce = (segment: string) => (segment.includes("%") ? decodeURIComponent(segment) : segment)
