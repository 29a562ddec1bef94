import { type RefObject, useEffect, useRef, useState } from "react"
import styles from "./work-list.module.css"

/** The search begins when the person has not typed for this long. */
const TYPING_MS = 200

type Props = {
  field: RefObject<HTMLInputElement | null>
  /** The words of the address. */
  words: string
  onWords: (words: string) => void
  /** Called at Enter and at the arrow down, which lead to the first row. */
  onEnter: () => void
}

/** The field that searches the list. A pause in typing, and not each letter, changes the address. */
export function FindField({ field, words, onWords, onEnter }: Props) {
  // The words in the field, the words that the field last gave to `onWords`, and the words of the address at the last render.
  const [typed, setTyped] = useState(words)
  const [sent, setSent] = useState(words)
  const [lastWords, setLastWords] = useState(words)
  if (words !== lastWords) {
    setLastWords(words)
    // A view or the way back has changed the address, and not this field.
    if (words !== sent) setTyped(words)
  }
  const latestOnWords = useRef(onWords)
  useEffect(() => {
    latestOnWords.current = onWords
  })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const searchAfter = (value: string, afterMs: number) => {
    setTyped(value)
    clearTimeout(timer.current)
    timer.current = setTimeout(searchNow, afterMs, value)
  }
  const searchNow = (value: string) => {
    clearTimeout(timer.current)
    const wanted = value.trim() === "" ? "" : value
    if (wanted === sent) return
    setSent(wanted)
    latestOnWords.current(value)
  }
  return (
    <input
      ref={field}
      type="search"
      className={styles["find"]}
      aria-label="Find"
      placeholder="Find words   /"
      value={typed}
      onChange={(event) => searchAfter(event.target.value, TYPING_MS)}
      onKeyDown={(event) => {
        if (event.key === "Escape") searchAfter("", 0)
        else if (event.key === "Enter" || event.key === "ArrowDown") {
          searchNow(typed)
          // Until the address has the words, the rows are those of the older words.
          if (words.trim() === typed.trim()) onEnter()
        } else return
        event.preventDefault()
      }}
    />
  )
}
