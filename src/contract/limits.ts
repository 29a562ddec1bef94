import type { CreateInputUploadRequest } from "./resources.ts"

// The specification's section "Limits", for what has to know a limit before the service says it. A test holds these against openapi.yaml.

export const OBJECTIVE_MAX_CHARACTERS = 4000
export const RESPONSE_MAX_CHARACTERS = 4000
export const COMMENT_MAX_CHARACTERS = 2000

export const UPLOAD_NAME_MAX_CHARACTERS = 120
export const UPLOAD_MAX_BYTES = 102_400
export const UPLOAD_MEDIA_TYPES = [
  "application/json",
  "text/csv",
  "text/markdown",
  "text/plain",
] as const satisfies readonly CreateInputUploadRequest["media_type"][]
export const INPUTS_MAX = 4

export const EXECUTION_LIMIT_MAX_SECONDS = 86_400
export const IDEMPOTENCY_KEY_MAX_CHARACTERS = 255

export const WORK_PAGE_DEFAULT = 50
export const WORK_PAGE_MAX = 100

export const HEARTBEAT_SECONDS = 15

/** The longest request body that the proxy and the embedded service take: 1 MiB (the design; the specification names no such limit). */
export const BODY_MAX_BYTES = 1_048_576

/** How many characters the specification counts in `text`: JSON Schema's, that is Unicode code points, a lone surrogate being one. */
export function countCharacters(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; count++) index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1
  return count
}

/** How many bytes `text` is in UTF-8, as it will be sent: a lone surrogate counts as the three bytes of U+FFFD. */
export function countBytes(text: string): number {
  return new TextEncoder().encode(text).length
}
