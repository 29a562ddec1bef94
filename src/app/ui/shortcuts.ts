/** Keyboard shortcuts: single keys, and keys with Ctrl or ⌘. */
import { useEffect, useEffectEvent } from "react"
import { schemaOf } from "../client/value-schema.ts"
import { defineKind, useEntry } from "../client/storage.ts"
import { lookUp } from "./look-up.ts"
import { typesText } from "./typing.ts"

/** The actions by key: `j`, `/`, `?`, `Enter`, `ArrowDown`; with Ctrl or ⌘ `mod+Enter`. Letters are in lower case. */
export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>

/** The key that stands for `mod` on this machine. */
export const modKey = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "") ? "⌘" : "Ctrl"

type Options = {
  /** False switches all shortcuts off. */
  active?: boolean
  /** True lets a held key act repeatedly: for moving, never for deciding. */
  repeat?: boolean
  /** False leaves a key to others, for instance by what has the focus. */
  handles?: (event: KeyboardEvent) => boolean
}

const nameOf = (event: KeyboardEvent): string | undefined => {
  if (event.altKey) return undefined
  const letter = /^\p{L}$/u.test(event.key)
  // Shift is needed for `?`. With a letter it belongs to a shortcut of the browser.
  if (letter && event.shiftKey) return undefined
  const key = letter ? event.key.toLowerCase() : event.key
  return event.ctrlKey || event.metaKey ? `mod+${key}` : key
}

/**
 * Shortcuts for the whole page while the component is mounted. In a text field only combinations with Ctrl or ⌘ act. The person can switch off
 * the shortcuts of a single character. Nothing acts while a dialog is open. The browser does not see a key that acted.
 */
export function useShortcuts(shortcuts: Shortcuts, { active = true, repeat = false, handles }: Options = {}): void {
  const listen = useEffectEvent((event: KeyboardEvent) => {
    const name = nameOf(event)
    if (event.defaultPrevented || name === undefined || (event.repeat && !repeat)) return
    const act = lookUp(shortcuts, name)
    if (!act || (typesText(event.target) && !name.startsWith("mod+"))) return
    if (name.length === 1 && !singleKeysAct()) return
    if (document.querySelector("dialog[open]") || handles?.(event) === false) return
    event.preventDefault()
    act(event)
  })
  useEffect(() => {
    if (!active) return
    const onKeyDown = (event: KeyboardEvent) => listen(event)
    document.addEventListener("keydown", onKeyDown)
    return () => document.removeEventListener("keydown", onKeyDown)
  }, [active])
}

/** An entry exists where the person has switched the single-key shortcuts off (WCAG 2.1.4). */
const switchedOff = defineKind<readonly [], true>({
  name: "single-keys-off",
  schema: schemaOf((value) => value === true),
  keptDays: 3650,
})

/** Whether the shortcuts of a single character act on the page. */
function singleKeysAct(): boolean {
  return switchedOff().read() !== true
}

/**
 * Whether the single keys act, and a function to change that. The function returns false where the browser cannot keep the choice beyond
 * this page.
 */
export function useSingleKeys(): readonly [on: boolean, change: (on: boolean) => boolean] {
  return [useEntry(switchedOff()) !== true, changeSingleKeys]
}

function changeSingleKeys(on: boolean): boolean {
  if (!on) return switchedOff().write(true)
  switchedOff().remove()
  return true
}
