import { useState } from "react"
import { Button } from "../ui/button.tsx"
import { part } from "../ui/part.tsx"
import { DUES, GROUPS, PRIORITIES, SORTS } from "../../contract/work-order.ts"
import { type ListQuery, queryOf } from "./list-address.ts"
import styles from "./work-list.module.css"
import { priorityWord } from "./list-order.ts"

const SaveView = part("Save view", async () => (await import("./save-view.tsx")).SaveView)

const words: Readonly<Record<string, string>> = {
  newest: "Newest",
  waiting: "Waiting longest",
  due: "Due",
  priority: "Priority",
  updated: "Updated",
  colleague: "Colleague",
  overdue: "Overdue",
  week: "Due this week",
}

type Props = {
  wanted: ListQuery
  /** The ids of the colleagues with open Work. */
  colleagues: readonly string[]
  onChange: (change: ListQuery) => void
}

/** The controls that sort, group and filter the list, and the button that saves their choice as a view. */
export function ListControls({ wanted, colleagues, onChange }: Props) {
  const [saving, setSaving] = useState(false)
  const chosen = wanted.colleague
  const known = chosen === undefined || colleagues.includes(chosen) ? colleagues : [...colleagues, chosen]
  return (
    <div className={styles["controls"]}>
      <Choice name="Sort" value={wanted.sort ?? "newest"} values={SORTS} onChange={(sort) => onChange({ sort })} />
      <Choice name="Group" value={wanted.group} none="None" values={GROUPS} onChange={(group) => onChange({ group })} />
      <Choice
        name="Colleague"
        value={chosen}
        none="Any"
        values={known}
        wordOf={(id) => id}
        onChange={(colleague) => onChange({ colleague })}
      />
      <Choice
        name="Priority"
        value={wanted.priority}
        none="Any"
        values={PRIORITIES}
        wordOf={priorityWord}
        onChange={(priority) => onChange({ priority })}
      />
      <Choice name="Due" value={wanted.due} none="Any" values={DUES} onChange={(due) => onChange({ due })} />
      <Button kind="plain" size="small" onClick={() => setSaving(true)}>
        Save view
      </Button>
      {saving && <SaveView query={queryOf(wanted)} onClose={() => setSaving(false)} />}
    </div>
  )
}

type ChoiceProps<Value extends string> = {
  name: string
  value: Value | undefined
  /** The word for no choice; undefined where a value is always chosen. */
  none?: string
  values: readonly Value[]
  wordOf?: (value: Value) => string
  onChange: (value: Value | undefined) => void
}

function Choice<Value extends string>({
  name,
  value,
  none,
  values,
  wordOf = (each) => words[each] ?? each,
  onChange,
}: ChoiceProps<Value>) {
  return (
    <label className={styles["control"]}>
      {name}
      <select
        value={value ?? ""}
        data-set={value !== undefined && none !== undefined}
        onChange={(event) => onChange(values.find((each) => each === event.target.value))}
      >
        {none !== undefined && <option value="">{none}</option>}
        {values.map((each) => (
          <option key={each} value={each}>
            {wordOf(each)}
          </option>
        ))}
      </select>
    </label>
  )
}
