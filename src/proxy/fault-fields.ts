/** What the log says about a fault of the desk itself: the error's message without values that somebody sent, and the place in the code. */
import type { IncomingMessage } from "node:http"
import { framesOf, type LogFields } from "../contract/log.ts"

const MESSAGE_MAX_CHARACTERS = 500
// Shorter values would be found by chance.
const VALUE_MIN_CHARACTERS = 4
const HIDDEN = "…"

/** The fields `error` and `stack` for a fault while a request was handled. */
export function faultFields(error: unknown, request: IncomingMessage): LogFields {
  if (!(error instanceof Error)) return { stack: framesOf(error) }
  // The longest first: a value may be a part of another.
  const values = valuesOf(request).toSorted((one, other) => other.length - one.length)
  const message = values.reduce((text, value) => text.replaceAll(value, HIDDEN), withoutQuotes(error))
  return { error: message.slice(0, MESSAGE_MAX_CHARACTERS), stack: framesOf(error) }
}

/**
 * Errors quote values: those of JSON.parse the text, those of Node the argument. A TypeError or ReferenceError of the engine quotes names of
 * the code, which stay.
 */
function withoutQuotes(error: Error): string {
  const isOfEngine = (error instanceof TypeError || error instanceof ReferenceError) && !("code" in error)
  // A quoted text may itself have quotes, so everything from the first to the last one goes.
  const quoted = isOfEngine ? /(["'`])(?![\w$.]+\1).*?\1/gs : /["'`].*["'`]/gs
  return error.message
    .replaceAll(quoted, HIDDEN)
    .replace(/^Cannot convert .* to a BigInt/s, `Cannot convert ${HIDDEN} to a BigInt`)
}

/** The values that came with a request, raw and decoded. */
function valuesOf({ url = "", rawHeaders }: IncomingMessage): readonly string[] {
  const parts = [...url.split(/[/?&=]/), ...rawHeaders.filter((_, index) => index % 2 === 1)]
  return [...new Set(parts.flatMap((part) => [part, decoded(part)]))].filter(
    (part) => part.length >= VALUE_MIN_CHARACTERS,
  )
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
