import type { SignedIn } from "../../contract/desk-people.ts"
import type { VisibilityScope, WorkPriority } from "../../contract/resources.ts"
import { useSession } from "../client/session.ts"
import { Field } from "../ui/field.tsx"
import { writeHidden } from "../ui/write-hidden.ts"

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

/** Who of this desk sees Work of each scope, in the words of the access file (`docs/operating.md`, "Who sees what"). */
function viewersOf({ teams, has_overseers: hasOverseers }: SignedIn): Readonly<Record<VisibilityScope, string>> {
  return {
    private: `you, ${hasOverseers ? "" : "and "}whoever may approve what it asks for${hasOverseers ? ", and overseers" : ""}`,
    team: teams.length > 0 ? teams.join(", ") : "everybody at this desk, where it has no teams",
    organization: "everybody at this desk",
  }
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

/** Who may see the Work. With sign-in each choice names the people; without, the service decides what it does with the scope. */
export function VisibilityField({ value, locked, onChange }: Props<VisibilityScope>) {
  const session = useSession()
  const viewers = session?.mode === "sign-in" ? viewersOf(session) : undefined
  return (
    // The closed choice cuts its text off where the field is narrow, so the hint repeats who will see the Work.
    <Field
      label="Visibility"
      hint={viewers === undefined ? scopes[value].means : `Seen by ${writeHidden(viewers[value])}`}
    >
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
              {viewers === undefined || !isScope(scope) ? word : writeHidden(`${word}: ${viewers[scope]}`)}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
