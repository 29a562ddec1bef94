/** Reads the body of a request to the API. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { parseJson } from "../../contract/int64.ts"
import { BODY_MAX_BYTES } from "../../contract/limits.ts"
import { bodyLate } from "../../platform/http/refusals.ts"
import { readBody } from "../../platform/http/request-body.ts"
import { Refused } from "../../platform/http/send.ts"
import { ProblemError, invalidRequest } from "../problems.ts"

// No body of openapi.yaml has more than two levels. The functions that read a body are recursive, so a deep body would overflow the stack.
const MAX_DEPTH = 32

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Reads a JSON body of at most 1 MiB with exact int64 values; undefined for an empty one. @throws ProblemError 400, or 413 before the end is read */
export async function readJsonBody(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  checkContentType(request)
  const bytes = await readBytes(request, response)
  if (bytes.length === 0) return undefined
  const value = parse(decode(bytes))
  checkValue(value, "The body", 0)
  return value
}

/** RFC 8259 defines no charset for JSON, but many clients send `charset=utf-8`. Any other charset is refused. */
function checkContentType({ headers }: IncomingMessage): void {
  const [type = "", ...parameters] = (headers["content-type"] ?? "").toLowerCase().split(";")
  if (type.trim() !== "application/json") throw invalidRequest("Content-Type must be application/json")
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith("charset="))
  if (charset !== undefined && charset.slice("charset=".length).replaceAll('"', "") !== "utf-8") {
    throw invalidRequest("The charset of Content-Type must be utf-8")
  }
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") {
    throw invalidRequest("Content-Encoding is not supported")
  }
}

async function readBytes(request: IncomingMessage, response: ServerResponse): Promise<Buffer> {
  const body = await readBody({ request, response }).catch((error: unknown) => error)
  if (body instanceof Buffer) return body
  if (!(body instanceof Refused)) throw body
  throw body.answer === bodyLate
    ? invalidRequest("The body took too long to arrive")
    : new ProblemError("BODY_TOO_LARGE", `The body must have at most ${BODY_MAX_BYTES} bytes`)
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalidRequest("The body is not valid UTF-8")
  }
}

/** A text that is nested too deeply for the parser counts as invalid JSON, too. */
function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw invalidRequest("The body is not valid JSON")
  }
}

/** Refuses deep nesting, and lone surrogates, because SQLite and UTF-8 silently replace them with U+FFFD. */
function checkValue(value: unknown, name: string, depth: number): void {
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw invalidRequest(`${name} has a lone surrogate, which is not a character`)
  } else if (typeof value === "object" && value !== null) {
    if (depth === MAX_DEPTH) throw invalidRequest(`The body is nested more than ${MAX_DEPTH} levels deep`)
    for (const [key, member] of Object.entries(value)) {
      if (!key.isWellFormed()) throw invalidRequest("The body has a property with a lone surrogate in its name")
      checkValue(member, Array.isArray(value) ? name : key, depth + 1)
    }
  }
}
