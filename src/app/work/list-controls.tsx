import { type RefObject, useEffect, useEffectEvent, useState } from "react"
import { DUES, GROUPS, type ListOrder, PRIORITIES, SORTS } from "../../contract/work-order.ts"
import { Button, ButtonLink } from "../ui/button.tsx"
import { Choice } from "../ui/list-parts.tsx"
import listStyles from "../ui/list.module.css"
import { EmptyState, focusTitle } from "../ui/page-parts.tsx"
import { part } from "../ui/part.tsx"
import { addressOfList, isNarrowed, priorityWord, queryOf } from "./list-order.ts"
import styles from "./work-list.module.css"

const ViewNameDialog = part("Save view", async () => (await import("../ui/view-name-dialog.tsx")).ViewNameDialog)

const choiceWords: Readonly<Record<string, string>> = {
  newest: "Newest",
  waiting: "Waiting longest",
  due: "Due",
  priority: "Priority",
  updated: "Updated",
  colleague: "Colleague",
  overdue: "Overdue",
  week: "Due this week",
}

const withWord = <Value extends string>(value: Value): readonly [Value, string] => [value, choiceWords[value] ?? value]

type Props = {
  wanted: ListOrder
  /** The ids of the colleagues with open Work. */
  colleagues: readonly string[]
  onChange: (change: ListOrder) => void
}

/** The controls that sort, group and filter the list, and the button that saves their choice as a view. */
export function ListControls({ wanted, colleagues, onChange }: Props) {
  const [saving, setSaving] = useState(false)
  return (
    <div className={listStyles["controls"]}>
      <Choice
        name="Sort"
        value={wanted.sort ?? "newest"}
        choices={SORTS.map(withWord)}
        onChange={(sort) => onChange({ sort })}
      />
      <Choice
        name="Group"
        value={wanted.group}
        none="None"
        choices={GROUPS.map(withWord)}
        onChange={(group) => onChange({ group })}
      />
      <Choice
        name="Colleague"
        value={wanted.colleague}
        none="Any"
        choices={colleagues.map((id) => [id, id])}
        onChange={(colleague) => onChange({ colleague })}
      />
      <Choice
        name="Priority"
        value={wanted.priority}
        none="Any"
        choices={PRIORITIES.map((priority) => [priority, priorityWord(priority)])}
        onChange={(priority) => onChange({ priority })}
      />
      <Choice
        name="Due"
        value={wanted.due}
        none="Any"
        choices={DUES.map(withWord)}
        onChange={(due) => onChange({ due })}
      />
      <Button kind="plain" size="small" onClick={() => setSaving(true)}>
        Save view
      </Button>
      {saving && (
        <ViewNameDialog
          title="Save view"
          action="Save"
          hint="The view appears in the menu, below Work."
          kept="Nothing was saved."
          change={(views, name) => [...views, { name, query: queryOf(wanted) }]}
          onClose={() => setSaving(false)}
        />
      )}
    </div>
  )
}

/** The search begins when the person has not typed for this long. */
const TYPING_MS = 200

type FindProps = {
  field: RefObject<HTMLInputElement | null>
  /** The words of the address. */
  words: string
  onWords: (words: string) => void
  /** Called at Enter and at the arrow down, which lead to the first row. */
  onEnter: () => void
}

/** The field that searches the list. A pause in typing, and not each letter, changes the address. */
export function FindField({ field, words, onWords, onEnter }: FindProps) {
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
    const pause = setTimeout(() => searchTyped(typed), TYPING_MS)
    return () => clearTimeout(pause)
  }, [typed])
  return (
    <input
      ref={field}
      type="search"
      className={styles["find"]}
      aria-label="Find"
      placeholder="Find words   /"
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

const emptyWords: Readonly<Record<NonNullable<ListOrder["status"]> | "any", readonly [title: string, words: string]>> =
  {
    any: ["No Work yet", "What you hand to a colleague appears here, newest first, with what it needs from you."],
    working: ["No Work is in progress", "Work appears here while a colleague is busy with it."],
    needs_you: ["No Work needs you", "Work appears here when a colleague asks you something or wants your approval."],
    paused: ["No Work is paused", "Work appears here when it has stopped for now, without being done."],
    done: ["No Work is done yet", "Work appears here when its colleague has finished it."],
  }

type EmptyProps = {
  wanted: ListOrder
  /** Whether the colleague is there for whom the form has a sample. */
  offersSample: boolean
}

/** Shown in place of the rows where there are none: what will appear here and when, or how to see more. */
export function EmptyList({ wanted, offersSample }: EmptyProps) {
  const { status } = wanted
  if (isNarrowed(wanted)) {
    return (
      <EmptyState
        title="No Work matches"
        action={
          <ButtonLink to={addressOfList({ status })} onClick={focusTitle}>
            Clear filters
          </ButtonLink>
        }
      >
        Change the filters, or clear them.
      </EmptyState>
    )
  }
  const [title, whatAppears] = emptyWords[status ?? "any"]
  return (
    <EmptyState
      title={title}
      action={
        <>
          <ButtonLink to="/work/new" kind="primary">
            New Work
          </ButtonLink>
          {status === undefined && offersSample && (
            <ButtonLink to="/work/new?sample">Try it with a sample file</ButtonLink>
          )}
        </>
      }
    >
      {whatAppears}
    </EmptyState>
  )
}
