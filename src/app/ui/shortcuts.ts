import { useEffect, useEffectEvent } from "react"
import { schemaOf } from "../client/schema.ts"
import { defineKind, useEntry } from "../client/storage.ts"
import { lookUp } from "./look-up.ts"
import { canHaveFocus } from "./use-kept-focus.ts"

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
  takes?: (event: KeyboardEvent) => boolean
}

/** Whether a person can type text into an element, or choose there by typing. */
export const typesText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement &&
      !["button", "checkbox", "radio", "submit", "reset", "file"].includes(target.type)))

const nameOf = (event: KeyboardEvent): string | undefined => {
  if (event.altKey) return undefined
  const letter = /^\p{L}$/u.test(event.key)
  // Shift is needed for `?`. With a letter it belongs to a shortcut of the browser.
  if (letter && event.shiftKey) return undefined
  const key = letter ? event.key.toLowerCase() : event.key
  return event.ctrlKey || event.metaKey ? `mod+${key}` : key
}

/**
 * The field into which the person types. Where the field goes while they type, the rest of what they type must not become shortcuts or press
 * buttons, until they move the focus themselves.
 */
let typedInto: EventTarget | null = null
/** The page on which the person has sent what they typed. There the next key is no typing. On a page that the sending opens, it still is. */
let sentOn: string | undefined

const isCharacter = (event: KeyboardEvent): boolean =>
  event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey

/** The keys that end typing: they move the focus, or choose what a field without a form has found. */
const endsTyping = ({ key, target }: KeyboardEvent): boolean =>
  ["Tab", "Escape", "ArrowDown", "ArrowUp", "Home", "End", "PageDown", "PageUp"].includes(key) ||
  (key === "Enter" && target instanceof HTMLInputElement && target.form === null)

/** Whether a key sends what was typed. Enter in a text of several lines is typing. */
const sends = ({ key, ctrlKey, metaKey, target }: KeyboardEvent): boolean =>
  key === "Enter" && (ctrlKey || metaKey || target instanceof HTMLInputElement)

// Some tests run without a browser.
globalThis.addEventListener?.("pointerdown", () => (typedInto = null), true)
globalThis.addEventListener?.(
  "input",
  ({ target }) => {
    if (!typesText(target)) return
    typedInto = target
    sentOn = undefined
  },
  true,
)
globalThis.addEventListener?.(
  "keydown",
  (event) => {
    const wasSentHere = sentOn === location.pathname
    if (sends(event)) sentOn = location.pathname
    if (endsTyping(event)) typedInto = null
    else if (typesText(event.target)) typedInto = isCharacter(event) ? event.target : typedInto
    // The person has left a field that is still there.
    else if (typedInto === null || canHaveFocus(typedInto) || wasSentHere) typedInto = null
    else if (isCharacter(event) || event.key === "Enter") {
      event.preventDefault()
      event.stopImmediatePropagation()
    }
  },
  true,
)

/**
 * Shortcuts for the whole page while the component is mounted. In a text field only combinations with Ctrl or ⌘ act. The person can switch off
 * the shortcuts of a single character. Nothing acts while a dialog is open. The browser does not see a key that acted.
 */
export function useShortcuts(shortcuts: Shortcuts, { active = true, repeat = false, takes }: Options = {}): void {
  const listen = useEffectEvent((event: KeyboardEvent) => {
    const name = nameOf(event)
    if (event.defaultPrevented || event.isComposing || name === undefined || (event.repeat && !repeat)) return
    const act = lookUp(shortcuts, name)
    if (!act || (typesText(event.target) && !name.startsWith("mod+"))) return
    if (name.length === 1 && !singleKeysAct()) return
    if (document.querySelector("dialog[open]") || takes?.(event) === false) return
    event.preventDefault()
    act(event)
  })
  useEffect(() => {
    if (!active) return
    const hear = (event: KeyboardEvent) => listen(event)
    document.addEventListener("keydown", hear)
    return () => document.removeEventListener("keydown", hear)
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
