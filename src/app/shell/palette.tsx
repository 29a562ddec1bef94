/* oxlint-disable jsx-a11y/prefer-tag-over-role, jsx-a11y/click-events-have-key-events -- the ARIA combobox keeps the focus and the keys in its text field; HTML's own select has none */
import { type KeyboardEvent, useId, useRef, useState } from "react"
import { useNavigate } from "react-router"
import type { SignedIn } from "../../contract/desk-people.ts"
import { useDeskMutation } from "../client/desk-writes.ts"
import { Dialog } from "../ui/dialog.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { matchesWords, type PaletteEntry, type SearchableEntry, usePaletteEntries, wordsOf } from "./palette-entries.ts"
import styles from "./palette.module.css"

export type PaletteProps = {
  session: SignedIn
  onHelp: () => void
  onClose: () => void
}

const SHOWN_MAX = 60
/** Before anything is typed, the palette shows so many entries of each group. */
const SHOWN_OF_GROUP_MAX = 8

/**
 * Finds pages, Work, pending items, views and actions by their words, and opens them. The palette never approves, declines or answers. The
 * combobox follows the ARIA Authoring Practices: the focus stays in the text field, and `aria-activedescendant` names the chosen option.
 */
export function Palette({ session, onHelp, onClose }: PaletteProps) {
  const [text, setText] = useState("")
  /** The id of the chosen entry, which keeps its choice where entries join or leave the list. */
  const [active, setActive] = useState<string>()
  const navigate = useNavigate()
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const { entries, ...reads } = usePaletteEntries({ session, onHelp, wanted: text })
  const { shown, total } = findEntries(entries, text)
  if (active === undefined && shown[0] !== undefined) setActive(shown[0].id)
  const chosen = shown.findIndex((entry) => entry.id === active)

  const choose = (index: number) => {
    setActive(shown[index]?.id)
    list.current?.children[index]?.scrollIntoView({ block: "nearest" })
  }
  const open = useDeskMutation(async ({ open: action }: PaletteEntry) => {
    if ("run" in action) await action.run()
    onClose()
    if ("to" in action) await navigate(action.to)
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const last = shown.length - 1
    if (event.key === "ArrowDown") choose(chosen === last ? 0 : chosen + 1)
    else if (event.key === "ArrowUp") choose(chosen <= 0 ? last : chosen - 1)
    else if (event.key === "Enter") {
      const entry = shown[chosen]
      // A key that is still held from another control opens nothing.
      if (entry !== undefined && !event.repeat) open.mutate(entry)
    } else return
    event.preventDefault()
  }

  return (
    <Dialog title="Go to" onCancel={onClose}>
      <input
        data-autofocus
        type="text"
        role="combobox"
        aria-label="Go to"
        aria-expanded={shown.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder="Pages, Work, questions, actions"
        className={styles["input"]}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setActive(undefined)
          list.current?.scrollTo({ top: 0 })
        }}
        onKeyDown={onKeyDown}
      />
      <ErrorAlert error={open.error} compact />
      <p aria-live="polite" className={styles["count"]}>
        {countWords(shown.length, total, reads)}
      </p>
      <div ref={list} id={`${id}-list`} role="listbox" aria-label="Results" className={styles["list"]}>
        {shown.map((entry, index) => (
          // The combobox keeps the focus, so it handles the keys.
          <div
            key={entry.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            className={styles["option"]}
            onPointerMove={() => setActive(entry.id)}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => open.mutate(entry)}
          >
            <span className={styles["group"]}>{entry.group}</span>
            <span className={styles["title"]}>
              <OutsideText>{entry.title}</OutsideText>
            </span>
            <span className={styles["detail"]}>
              <OutsideText>{entry.detail}</OutsideText>
            </span>
          </div>
        ))}
      </div>
    </Dialog>
  )
}

function findEntries(
  entries: readonly SearchableEntry[],
  text: string,
): { shown: readonly PaletteEntry[]; total: number } {
  const wanted = wordsOf(text)
  const found = entries.filter(({ words }) => matchesWords(words, wanted)).map(({ entry }) => entry)
  if (wanted.length > 0) return { shown: found.slice(0, SHOWN_MAX), total: found.length }
  const ofGroup = Map.groupBy(found, ({ group }) => group)
  return { shown: [...ofGroup.values()].flatMap((group) => group.slice(0, SHOWN_OF_GROUP_MAX)), total: found.length }
}

type Reads = { readonly isReading: boolean; readonly hasFailed: boolean }

/** How much is found. Nothing counts as not found before everything was read. */
function countWords(shown: number, total: number, { isReading, hasFailed }: Reads): string {
  if (total === 0 && isReading) return "Looking for Work…"
  const missing = hasFailed ? " Not everything could be loaded, so results may be missing." : ""
  if (total === 0) return `Nothing found${hasFailed ? ` so far.${missing}` : ". Try the beginning of a word."}`
  return (shown < total ? `${shown} of ${total} shown. Type more to narrow the list.` : `${total} found.`) + missing
}
