import { readStored, writeStored } from "../client/stored.ts"
import { readSequence } from "./event-cursor.ts"

/** Which event of each Work was the newest when this browser last looked, for "new since you left". */
const NAME = "activity-seen"
const WORKS_MAX = 300

function readAll(): [workId: string, sequence: string][] {
  try {
    const entries: unknown = JSON.parse(readStored(NAME) ?? "[]")
    if (!Array.isArray(entries)) return []
    return entries.filter(
      (entry): entry is [string, string] =>
        Array.isArray(entry) && typeof entry[0] === "string" && typeof entry[1] === "string",
    )
  } catch {
    return []
  }
}

/** The newest sequence that was seen; undefined where the Work was never looked at. */
export function readLastSeen(workId: string): bigint | undefined {
  return readSequence(readAll().find(([id]) => id === workId)?.[1])
}

/** Remembers the newest sequence seen; the Works looked at longest ago are forgotten first. */
export function writeLastSeen(workId: string, sequence: bigint): void {
  const others = readAll().filter(([id]) => id !== workId)
  writeStored(NAME, JSON.stringify([[workId, sequence.toString()], ...others].slice(0, WORKS_MAX)))
}
