import type { CreateInputUploadRequest } from "./resources.ts"

// The limits of openapi.yaml that the app or the proxy checks before the service does. A test compares them with openapi.yaml.

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

/** The longest request body that the proxy and the embedded service accept, in bytes: 1 MiB. openapi.yaml has no such limit. */
export const BODY_MAX_BYTES = 1_048_576

/** The length of `text` as JSON Schema counts it: Unicode code points. A lone surrogate counts as one. */
export function countCharacters(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; count++) index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1
  return count
}

/** The length of `text` in bytes of UTF-8. A lone surrogate counts as three bytes, because U+FFFD is sent instead. */
export function countBytes(text: string): number {
  return new TextEncoder().encode(text).length
}
