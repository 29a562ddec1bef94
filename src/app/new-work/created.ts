import { useMemo } from "react"
import { useStored, writeStored } from "../client/stored.ts"

/** A Work whose answer arrived when its page was no longer open: said when the person comes back. */
export type Created = { readonly workId: string; readonly title: string; readonly replayed: boolean }

const NAME = "created-work"

/** Notes that a Work was created. */
export function noteCreated(created: Created): void {
  writeStored(NAME, JSON.stringify(created))
}

/** The Work that was created while nobody looked, until it is dismissed. */
export function useCreated(): readonly [created: Created | undefined, dismiss: () => void] {
  const text = useStored(NAME)
  // Only this module writes under its name.
  const created = useMemo(() => (text === undefined ? undefined : (JSON.parse(text) as Created)), [text])
  return [created, dismissCreated]
}

function dismissCreated(): void {
  writeStored(NAME, undefined)
}
