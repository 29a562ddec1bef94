import { DUES, GROUPS, type ListOrder, SORTS } from "../../contract/work-order.ts"
import { ButtonLink } from "../ui/button.tsx"
import { activeFilter, FiltersPanel } from "../ui/filters-panel.tsx"
import { Choice, SaveView } from "../ui/list-fields.tsx"
import { EmptyState, focusTitle } from "../ui/page-parts.tsx"
import { priorityChoices } from "../ui/status.tsx"
import { addressOfList, isNarrowed, queryOf } from "./list-order.ts"

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
  const { sort, group, colleague, priority, due } = wanted
  const colleagueChoices = colleagues.map((id) => [id, id] as const)
  const dueChoices = DUES.map(withWord)
  return (
    <FiltersPanel
      active={[
        ...activeFilter("Colleague", colleague, colleagueChoices, () => onChange({ colleague: undefined })),
        ...activeFilter("Priority", priority, priorityChoices, () => onChange({ priority: undefined })),
        ...activeFilter("Due", due, dueChoices, () => onChange({ due: undefined })),
      ]}
      visible={
        <>
          <Choice
            name="Sort"
            value={sort ?? "newest"}
            choices={SORTS.map(withWord)}
            onChange={(sort) => onChange({ sort })}
          />
          <Choice
            name="Group"
            value={group}
            none="None"
            choices={GROUPS.map(withWord)}
            onChange={(group) => onChange({ group })}
          />
        </>
      }
      action={<SaveView page="/work" query={queryOf(wanted)} />}
    >
      <Choice
        name="Colleague"
        value={colleague}
        none="Any"
        choices={colleagueChoices}
        onChange={(colleague) => onChange({ colleague })}
      />
      <Choice
        name="Priority"
        value={priority}
        none="Any"
        choices={priorityChoices}
        onChange={(priority) => onChange({ priority })}
      />
      <Choice name="Due" value={due} none="Any" choices={dueChoices} onChange={(due) => onChange({ due })} />
    </FiltersPanel>
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
