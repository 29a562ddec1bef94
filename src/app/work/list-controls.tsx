import { useState } from "react"
import { Button } from "../ui/button.tsx"
import { part } from "../ui/part.tsx"
import { DUES, GROUPS, PRIORITIES, SORTS, type ListOrder } from "../../contract/work-order.ts"
import { queryOf } from "./list-address.ts"
import { Choice } from "../ui/list-parts.tsx"
import styles from "../ui/list.module.css"
import { priorityWord } from "./list-order.ts"

const ViewNameDialog = part("Save view", async () => (await import("../ui/view-name-dialog.tsx")).ViewNameDialog)

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

const withWord = <Value extends string>(value: Value): readonly [Value, string] => [value, words[value] ?? value]

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
    <div className={styles["controls"]}>
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
