/** When `Confirm …` of the dialog acts, and on which keys. */
import { type KeyboardEvent, type RefObject, type SyntheticEvent, useCallback, useRef } from "react"
import { typesText } from "../ui/typing.ts"
import { useArmed } from "../ui/use-armed.ts"
import { useTooEarly } from "../ui/use-too-early.ts"

/** `chord`: Enter with Ctrl or ⌘. `press`: a click or Enter on the button. */
type How = "press" | "chord"

type ConfirmOptions = {
  /** What the screen says now, as a text for `useArmed`. */
  facts: string
  /** Whether `facts` have changed since the dialog opened. */
  hasChanged: boolean
  whyNot: string | undefined
  /** Whether the chord always waits half a second, as a press does. */
  chordWaits?: boolean
  confirm: () => void
}

/**
 * `Confirm …` acts half a second after the dialog opened, and the chord at once. If something has changed since the dialog opened, both act half a
 * second after the change.
 */
export function useConfirm({ facts, hasChanged, whyNot, chordWaits = false, confirm }: ConfirmOptions) {
  const button = useRef<HTMLButtonElement>(null)
  const armed = useArmed(facts)
  const { why, refuse } = useTooEarly(`${facts} ${String(whyNot)}`)
  const openedAt = useRef(Infinity)
  const whenOpened = useCallback((element: HTMLElement | null) => {
    if (element !== null) openedAt.current = performance.now()
  }, [])
  const press = ({ timeStamp }: SyntheticEvent, how: How = "press") => {
    // A busy page handles keys late, so this one may have been pressed before the dialog opened.
    const isOld = timeStamp < openedAt.current
    const mayAct = armed || (how === "chord" && !hasChanged && !chordWaits)
    if (whyNot !== undefined) refuse(button.current, whyNot)
    else if (isOld || !mayAct)
      refuse(button.current, hasChanged ? "This has just changed" : "This dialog has just opened")
    else confirm()
  }
  return { button, armed, tooEarly: why, press, whenOpened }
}

/**
 * The keys of the dialog. `Enter` on `Confirm …` and the chord confirm, each as a new press; a character goes to the comment. A key that was pressed
 * before the dialog opened and is still held types nothing and presses no button. Keys of an input method never get here (`ui/typing.ts`).
 */
export function useDialogKeys(
  confirm: RefObject<HTMLButtonElement | null>,
  press: (event: SyntheticEvent, how?: How) => void,
  focusField: () => void,
) {
  const isHeldFromBefore = useRef(true)
  const isSpaceOnConfirm = ({ key, target }: KeyboardEvent) => key === " " && target === confirm.current
  return {
    onKeyDownCapture: (event: KeyboardEvent) => {
      if (!event.repeat) isHeldFromBefore.current = false
      else if (isHeldFromBefore.current || !(event.target instanceof HTMLTextAreaElement)) event.preventDefault()
    },
    onKeyUpCapture: (event: KeyboardEvent) => {
      isHeldFromBefore.current = false
      // Firefox presses a button when Space is released.
      if (isSpaceOnConfirm(event)) event.preventDefault()
    },
    onKeyDown: (event: KeyboardEvent) => {
      const { key, repeat, target, altKey, shiftKey } = event
      const isMod = event.ctrlKey || event.metaKey
      const isEnter = key === "Enter" && !altKey && !shiftKey
      const isCharacter = key.length === 1 && key !== " " && !isMod
      if (isEnter && (isMod || target === confirm.current)) {
        event.preventDefault()
        if (!repeat) press(event, isMod ? "chord" : "press")
      } else if (isSpaceOnConfirm(event)) {
        event.preventDefault()
      } else if (isCharacter && !repeat && !typesText(target)) {
        // The browser types the character into the field that has the focus after this.
        focusField()
      }
    },
  }
}
