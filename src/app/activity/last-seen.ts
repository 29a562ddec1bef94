import { array, string, tuple } from "valibot"
import { defineKind } from "../client/storage.ts"
import { readSequence } from "./event-cursor.ts"

const WORKS_MAX = 300

/** The newest sequence of each Work when this person last looked at it, for `New since you left`. The Work seen last comes first. */
const lastSeen = defineKind<readonly [], readonly (readonly [workId: string, sequence: string])[]>({
  name: "activity-seen",
  version: 1,
  schema: array(tuple([string(), string()])),
  forgetAfterMs: 90 * 24 * 60 * 60_000,
})

/** The newest sequence that was seen; undefined where the Work was never looked at. */
export function readLastSeen(workId: string): bigint | undefined {
  return readSequence(
    lastSeen()
      .read()
      ?.find(([id]) => id === workId)?.[1],
  )
}

/** Remembers the newest sequence that was seen. The Works seen longest ago are forgotten first. */
export function writeLastSeen(workId: string, sequence: bigint): void {
  const others = (lastSeen().read() ?? []).filter(([id]) => id !== workId)
  lastSeen().write([[workId, sequence.toString()] as const, ...others].slice(0, WORKS_MAX))
}
