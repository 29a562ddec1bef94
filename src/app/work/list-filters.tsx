/** The controls of the panel `Filters` of the list of Work. */
import type { DUES } from "../../contract/work-order.ts"
import { Choice } from "../ui/list-fields.tsx"
import listStyles from "../ui/list.module.css"
import { priorityChoices } from "../ui/status.tsx"
import { createdChoicesOf, isDay } from "./created-range.ts"
import type { WantedList } from "./list-order.ts"

type Choices<Value extends string = string> = readonly (readonly [value: Value, words: string])[]

type Props = {
  wanted: WantedList
  colleagues: Choices
  dues: Choices<(typeof DUES)[number]>
  /** None in local mode. */
  delegators: Choices
  onChange: (change: WantedList) => void
}

export function ListFilters({ wanted, colleagues, dues, delegators, onChange }: Props) {
  const { colleague, priority, due, by, new: isNew, created } = wanted
  return (
    <>
      <Choice
        name="Colleague"
        value={colleague}
        none="Any"
        choices={colleagues}
        onChange={(colleague) => onChange({ colleague })}
      />
      <Choice
        name="Priority"
        value={priority}
        none="Any"
        choices={priorityChoices}
        onChange={(priority) => onChange({ priority })}
      />
      <Choice name="Due" value={due} none="Any" choices={dues} onChange={(due) => onChange({ due })} />
      {delegators.length > 0 && (
        <Choice
          name="Delegated by"
          value={by}
          none="Anybody"
          choices={delegators}
          onChange={(by) => onChange({ by })}
        />
      )}
      <Choice
        name="Created"
        value={created}
        none="Any time"
        choices={createdChoicesOf(created)}
        onChange={(created) => onChange({ created })}
      />
      <Choice
        name="New to me"
        value={isNew}
        none="Any"
        choices={[["1", "Only"]]}
        onChange={(isNew) => onChange({ new: isNew })}
      />
      <label className={listStyles["control"]}>
        Created on
        <input
          type="date"
          value={isDay(created) ? created : ""}
          onChange={({ target }) => onChange({ created: target.value === "" ? undefined : target.value })}
        />
      </label>
    </>
  )
}
