import { useEffect, useEffectEvent, useRef, useState } from "react"
import { queryOfView } from "../client/own-saved-views.ts"
import { Button } from "./button.tsx"
import styles from "./list.module.css"
import { writeHidden } from "./hidden-characters.ts"
import { part } from "./part.tsx"
import { useShortcuts } from "./shortcuts.ts"

export type OptionsProps<Value extends string> = {
  value: Value | undefined
  /** The word for no choice. Left out where a value is always chosen. */
  none?: string | undefined
  choices: readonly (readonly [value: Value, words: string])[]
}

/** The options of a select. A value that is no choice is shown as it is. */
export function Options<Value extends string>({ value, none, choices }: OptionsProps<Value>) {
  const isKnown = value === undefined || choices.some(([choice]) => choice === value)
  return (
    <>
      {none !== undefined && <option value="">{none}</option>}
      {!isKnown && <option value={value}>{writeHidden(value)}</option>}
      {choices.map(([choice, words]) => (
        <option key={choice} value={choice}>
          {writeHidden(words)}
        </option>
      ))}
    </>
  )
}

type ChoiceProps<Value extends string> = OptionsProps<Value> & {
  name: string
  onChange: (value: Value | undefined) => void
}

/** A control that filters, sorts or groups a list. A value of the address that is no choice is shown as it is. */
export function Choice<Value extends string>({ name, value, none, choices, onChange }: ChoiceProps<Value>) {
  return (
    <label className={styles["control"]}>
      {name}
      <select
        value={value ?? ""}
        data-set={value !== undefined && none !== undefined}
        onChange={(event) => onChange(choices.find(([choice]) => choice === event.target.value)?.[0])}
      >
        <Options value={value} none={none} choices={choices} />
      </select>
    </label>
  )
}

type FindProps = {
  name: string
  /** The words of the address. */
  words: string
  onWords: (words: string) => void
  /** The search begins when the person has not typed for so many milliseconds. */
  pauseMs: number
  /** Called at Enter and at the arrow down, which lead to the first row. */
  onEnter: () => void
}

/** The field that searches a list, and the key `/` that leads to it. A pause in typing, and not each letter, changes the address. */
export function FindField({ name, words, onWords, pauseMs, onEnter }: FindProps) {
  const field = useRef<HTMLInputElement>(null)
  useShortcuts({ "/": () => field.current?.select() })
  const [typed, setTyped] = useState(words)
  // The words that the field last gave to `onWords`, and the words of the address at the last render.
  const [sent, setSent] = useState(words)
  const [lastWords, setLastWords] = useState(words)
  const isSent = (value: string) => value.trim() === sent.trim()
  if (words !== lastWords) {
    setLastWords(words)
    // A view or the way back has changed the address, and not this field.
    if (!isSent(words)) {
      setTyped(words)
      setSent(words)
    }
  }
  const search = (value: string) => {
    if (isSent(value)) return
    setSent(value)
    onWords(value)
  }
  const searchTyped = useEffectEvent(search)
  useEffect(() => {
    const pause = setTimeout(() => searchTyped(typed), pauseMs)
    return () => clearTimeout(pause)
  }, [typed, pauseMs])
  return (
    <input
      ref={field}
      type="search"
      className={styles["find"]}
      aria-label={name}
      placeholder="Find words"
      title="Find words (/)"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          setTyped("")
          search("")
        } else if (event.key === "Enter" || event.key === "ArrowDown") {
          search(typed)
          // Until the address has the words, the rows are those of the older words.
          if (words.trim() === typed.trim()) onEnter()
        } else return
        event.preventDefault()
      }}
    />
  )
}

const ViewNameDialog = part("Save view", async () => (await import("./view-name-dialog.tsx")).ViewNameDialog)

/** The button that saves what the address of a list asks for as a view. */
export function SaveView({ page, query }: { page: Parameters<typeof queryOfView>[0]; query: string }) {
  const [saving, setSaving] = useState(false)
  return (
    <>
      <Button kind="plain" size="small" onClick={() => setSaving(true)}>
        Save view
      </Button>
      {saving && (
        <ViewNameDialog
          title="Save view"
          action="Save"
          hint="The view appears in the menu, below Work."
          kept="The view wasn't saved."
          change={(views, name) => [...views, { name, query: queryOfView(page, query) }]}
          onClose={() => setSaving(false)}
        />
      )}
    </>
  )
}
