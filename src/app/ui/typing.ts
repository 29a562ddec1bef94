/** Keeps what a person types from becoming shortcuts or pressing buttons: the keys of an input method, and a text whose field went away. */
import { canHaveFocus } from "./use-kept-focus.ts"

/** Whether a person can type text into an element, or choose there by typing. */
export const typesText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement &&
      !["button", "checkbox", "radio", "submit", "reset", "file"].includes(target.type)))

/** The field into which the person types; null once they have moved the focus themselves. */
let typedInto: EventTarget | null = null
/** The page on which the person sent what they typed. A further key on that page is not typing; on a page that opens after sending, it is. */
let sentOnPath: string | undefined

const isCharacter = (event: KeyboardEvent): boolean =>
  event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey

/** The keys that end typing: they move the focus, or choose a result of a search field. */
const endsTyping = ({ key, target }: KeyboardEvent): boolean =>
  ["Tab", "Escape", "ArrowDown", "ArrowUp", "Home", "End", "PageDown", "PageUp"].includes(key) ||
  (key === "Enter" && target instanceof HTMLInputElement && target.form === null)

/** Whether a key sends what was typed. Enter in a text of several lines is typing. */
const sends = ({ key, ctrlKey, metaKey, target }: KeyboardEvent): boolean =>
  key === "Enter" && (ctrlKey || metaKey || target instanceof HTMLInputElement)

/** The code of a key that an input method handles (UI Events, 7.3.1). WebKit fires the Enter that ends a composition after `compositionend`. */
const INPUT_METHOD = 229

/**
 * What a key does. The first row that fits counts:
 *
 * | key                               | focus                            | what happens                         |
 * | --------------------------------- | -------------------------------- | ------------------------------------ |
 * | belongs to an input method        | anywhere                         | no handler of the page gets the key  |
 * | ends typing                       | anywhere                         | the person no longer types           |
 * | any                               | in a field                       | a character: the person types there  |
 * | a character or Enter              | elsewhere: the field went away   | nothing, unless the text was sent    |
 * | any                               | elsewhere: the person left       | the person no longer types           |
 */
function onKeyDown(event: KeyboardEvent): void {
  if (event.isComposing || event.keyCode === INPUT_METHOD) {
    event.stopPropagation()
    return
  }
  const wasSentHere = sentOnPath === location.pathname
  if (sends(event)) sentOnPath = location.pathname
  if (endsTyping(event)) {
    typedInto = null
  } else if (typesText(event.target)) {
    if (isCharacter(event)) typedInto = event.target
  } else if (typedInto !== null && !canHaveFocus(typedInto) && !wasSentHere) {
    // The field went away, and the person still types.
    if (!isCharacter(event) && event.key !== "Enter") return
    event.preventDefault()
    event.stopImmediatePropagation()
  } else {
    typedInto = null
  }
}

function onInput({ target }: Event): void {
  if (!typesText(target)) return
  typedInto = target
  sentOnPath = undefined
}

function endTyping(): void {
  typedInto = null
}

// Some tests run without a browser. A person who goes back or forward has left the field, even with the browser's own button.
globalThis.addEventListener?.("pointerdown", endTyping, true)
globalThis.addEventListener?.("popstate", endTyping, true)
globalThis.addEventListener?.("input", onInput, true)
globalThis.addEventListener?.("keydown", onKeyDown, true)
