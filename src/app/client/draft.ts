import { useCallback } from "react"
import { readStored, useStored, writeStored } from "./stored.ts"

const nameOf = (subject: string) => `draft:${subject}`

/**
 * What a person has typed about `subject` (such as `answer/<id>`) and not sent: kept by the browser with every keystroke,
 * through reloads, navigation and errors (design, "What must be true" 4). Empty text is no draft.
 */
export function useDraft(subject: string): readonly [text: string, setText: (text: string) => void] {
  const text = useStored(nameOf(subject)) ?? ""
  const setText = useCallback((next: string) => writeDraft(subject, next), [subject])
  return [text, setText]
}

/** The draft about `subject`, empty where there is none. */
export function readDraft(subject: string): string {
  return readStored(nameOf(subject)) ?? ""
}

/** Keeps `text` as the draft about `subject`; empty text removes it. */
export function writeDraft(subject: string, text: string): void {
  writeStored(nameOf(subject), text === "" ? undefined : text)
}
