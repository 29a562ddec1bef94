import { array, string } from "valibot"
import { defineKind, useEntry } from "../client/storage.ts"

const KEPT = 12
const NONE: readonly string[] = []

const usedColleagues = defineKind<readonly [], readonly string[]>({
  name: "used-colleagues",
  version: 1,
  schema: array(string()),
  forgetAfterMs: 365 * 24 * 60 * 60_000,
})

/** The ids of the colleagues that this person created Work for, the last one first. */
export function useUsedColleagues(): readonly string[] {
  return useEntry(usedColleagues()) ?? NONE
}

/** Puts a colleague's id before the others that were used. */
export function rememberColleague(id: string): void {
  const others = (usedColleagues().read() ?? NONE).filter((other) => other !== id)
  usedColleagues().write([id, ...others].slice(0, KEPT))
}
