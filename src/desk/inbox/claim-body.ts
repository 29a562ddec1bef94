/** Reads the bodies of requests about what several people do with the same items. */
import * as v from "valibot"
import { isCalendarDay } from "../../platform/calendar-day.ts"
import { Refused } from "../../platform/http/send.ts"
import { bodyInvalid } from "./claim-refusals.ts"

export const id = v.pipe(v.string(), v.minLength(1), v.maxLength(1_000))

const ISO_INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/

/** A moment of ISO 8601 with its offset, in milliseconds since 1970. The seconds may be left out. */
export const instant = v.pipe(
  v.string(),
  v.check((text) => isCalendarDay(ISO_INSTANT.exec(text)?.[1] ?? "")),
  v.transform(Date.parse),
  v.finite(),
)

/** Reads a body. `expected` says in the refusal what the body must be. @throws Refused */
export function parse<Schema extends v.GenericSchema>(
  schema: Schema,
  body: Buffer,
  expected: string,
): v.InferOutput<Schema> {
  const found = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), body.toString("utf8"))
  if (!found.success) throw new Refused(bodyInvalid(expected))
  return found.output
}
