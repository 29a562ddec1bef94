import { useMemo } from "react"
import { parseJson, stringifyJson } from "../../contract/int64.ts"
import { useStored, writeStored } from "../client/stored.ts"

/** A browser keeps some five million characters: what is longer than this is not kept, and a reload then shows no old beside new. */
const KEPT_CHARACTERS = 200_000

const nameOf = (slot: string) => `seen:${slot}`

/** Keeps what stood on the screen when the intent of `slot` was sent, so that a conflict can show old beside new even after a reload. */
export function keepSeen(slot: string, item: object): void {
  const text = stringifyJson(item)
  writeStored(nameOf(slot), text.length > KEPT_CHARACTERS ? undefined : text)
}

/** Forgets it: the intent was recorded. */
export function forgetSeen(slot: string): void {
  writeStored(nameOf(slot), undefined)
}

/** What stood on the screen when the intent of `slot` was sent, if that was kept. */
export function useSeen<Item>(slot: string): Item | undefined {
  const text = useStored(nameOf(slot))
  // Only `keepSeen` writes under this prefix, and a slot has one kind of item.
  return useMemo(() => (text === undefined ? undefined : (parseJson(text) as Item)), [text])
}
