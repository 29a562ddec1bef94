/** The header `Desk-Together` of decisions that a person sent together. The desk keeps it in the record and never sends it to the upstream. */
import type { IncomingMessage } from "node:http"
import * as v from "valibot"
import { Refused } from "../../platform/http/send.ts"
import { togetherInvalid } from "./proxy-refusals.ts"

const HEADER = "desk-together"
const together = v.pipe(v.string(), v.uuid(), v.toLowerCase())

/** The common id of the decisions that were sent together, in lower case. Undefined without the header. @throws Refused when it isn't a UUID */
export function readTogether({ headers }: IncomingMessage): string | undefined {
  if (headers[HEADER] === undefined) return undefined
  const read = v.safeParse(together, headers[HEADER])
  if (!read.success) throw new Refused(togetherInvalid)
  return read.output
}

/** @throws Refused when a request that isn't a decision has the header */
export function checkNotTogether({ headers }: IncomingMessage): void {
  if (headers[HEADER] !== undefined) throw new Refused(togetherInvalid)
}
