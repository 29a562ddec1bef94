import { useMemo } from "react"
import { readStored, useStored, writeStored } from "../client/stored.ts"

const NAME = "used-colleagues"
const KEPT = 12

/** The ids of the colleagues that this browser created Work for, the last one first. */
export function useUsedColleagues(): readonly string[] {
  const text = useStored(NAME)
  return useMemo(() => parse(text), [text])
}

/** Puts a colleague's id before the others that were used. */
export function rememberColleague(id: string): void {
  const others = parse(readStored(NAME)).filter((other) => other !== id)
  writeStored(NAME, JSON.stringify([id, ...others].slice(0, KEPT)))
}

function parse(text: string | undefined): readonly string[] {
  try {
    const ids: unknown = JSON.parse(text ?? "[]")
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : []
  } catch {
    return []
  }
}
