import type { VisibilityScope, WorkPriority } from "../../contract/resources.ts"
import { Field } from "../ui/field.tsx"

type Props<Value> = { value: Value; locked: boolean; onChange: (value: Value) => void }

const priorities: Readonly<Record<WorkPriority, string>> = {
  low: "Low",
  normal: "Normal",
  high: "High",
  urgent: "Urgent",
}

const scopes: Readonly<Record<VisibilityScope, { word: string; means: string }>> = {
  private: { word: "Private", means: "Only its owner sees it." },
  team: { word: "Team", means: "The owner's team sees it." },
  organization: { word: "Organization", means: "Everybody in the organization sees it." },
}

const isPriority = (value: string): value is WorkPriority => Object.hasOwn(priorities, value)
const isScope = (value: string): value is VisibilityScope => Object.hasOwn(scopes, value)

/** How urgent the Work is, beside other Work. */
export function PriorityField({ value, locked, onChange }: Props<WorkPriority>) {
  return (
    <Field label="Priority">
      {(control) => (
        <select
          {...control}
          name="priority"
          disabled={locked}
          value={value}
          onChange={(event) => isPriority(event.target.value) && onChange(event.target.value)}
        >
          {Object.entries(priorities).map(([priority, word]) => (
            <option key={priority} value={priority}>
              {word}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** Who may see the Work. */
export function VisibilityField({ value, locked, onChange }: Props<VisibilityScope>) {
  return (
    <Field label="Visibility" hint={scopes[value].means}>
      {(control) => (
        <select
          {...control}
          name="visibility"
          disabled={locked}
          value={value}
          onChange={(event) => isScope(event.target.value) && onChange(event.target.value)}
        >
          {Object.entries(scopes).map(([scope, { word }]) => (
            <option key={scope} value={scope}>
              {word}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
