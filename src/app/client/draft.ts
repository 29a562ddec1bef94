import { useCallback, useSyncExternalStore } from "react"
import { type Entry, type Kept, onStorageChange, useEntry } from "./storage.ts"

/** Where the value of `entry` is kept: by the browser, by this page alone, or in an older version. */
export function useKept(entry: Pick<Entry<unknown>, "kept">): Kept {
  return useSyncExternalStore(onStorageChange, entry.kept)
}

/** The text of a draft and how to change it. Empty text is no draft. */
export function useDraft(entry: Entry<string>): readonly [text: string, setText: (text: string) => void] {
  const setText = useCallback((text: string) => void writeDraft(entry, text), [entry])
  return [useEntry(entry) ?? "", setText]
}

/** Keeps `text` as a draft; empty text removes the draft. False where the browser could not keep the text. */
function writeDraft(entry: Entry<string>, text: string): boolean {
  if (text !== "") return entry.write(text)
  entry.remove()
  return true
}
