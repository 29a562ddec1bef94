import type { NamedPerson } from "../../contract/desk-people.ts"
import { DUES, GROUPS, SORTS } from "../../contract/work-order.ts"
import { useSession } from "../client/session.ts"
import { ButtonLink } from "../ui/button.tsx"
import { activeFilter, FiltersPanel } from "../ui/filters-panel.tsx"
import { Choice, SaveView } from "../ui/list-fields.tsx"
import { EmptyState, focusTitle } from "../ui/page-parts.tsx"
import { part } from "../ui/part.tsx"
import { priorityChoices } from "../ui/status.tsx"
import { createdChoicesOf } from "./created-range.ts"
import { addressOfList, isNarrowed, queryOf, type WantedList } from "./list-order.ts"

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

const ListFilters = part("Filters", async () => (await import("./list-filters.tsx")).ListFilters)

type Props = {
  wanted: WantedList
  /** The ids of the colleagues with open Work. */
  colleagues: readonly string[]
  /** Everybody who delegated Work that the person can see. */
  delegators: readonly NamedPerson[]
  onChange: (change: WantedList) => void
}

/** The controls that sort, group and filter the list, and the button that saves their choice as a view. */
export function ListControls({ wanted, colleagues, delegators, onChange }: Props) {
  const { sort, group, colleague, priority, due, by, new: isNew, created } = wanted
  const session = useSession()
  const byChoices = session?.mode === "sign-in" ? byChoicesOf(delegators, session.person.id, by) : []
  const colleagueChoices = colleagues.map((id) => [id, id] as const)
  const dueChoices = DUES.map(withWord)
  return (
    <FiltersPanel
      active={[
        ...activeFilter("Colleague", colleague, colleagueChoices, () => onChange({ colleague: undefined })),
        ...activeFilter("Priority", priority, priorityChoices, () => onChange({ priority: undefined })),
        ...activeFilter("Due", due, dueChoices, () => onChange({ due: undefined })),
        ...(byChoices.length > 0 ? activeFilter("Delegated by", by, byChoices, () => onChange({ by: undefined })) : []),
        ...activeFilter("New to me", isNew, [["1", "Only"]], () => onChange({ new: undefined })),
        ...activeFilter("Created", created, createdChoicesOf(created), () => onChange({ created: undefined })),
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
      <ListFilters
        wanted={wanted}
        colleagues={colleagueChoices}
        dues={dueChoices}
        delegators={byChoices}
        onChange={onChange}
      />
    </FiltersPanel>
  )
}

/** The choices of `Delegated by`: the person, and everybody else who delegated Work. An unknown person in the address has no name. */
function byChoicesOf(delegators: readonly NamedPerson[], myId: string, by: string | undefined) {
  const others = delegators.filter(({ id }) => id !== myId).map(({ id, name }) => [id, name] as const)
  const choices = [["me", "Me"] as const, ...others]
  const isKnown = by === undefined || choices.some(([id]) => id === by)
  return isKnown ? choices : [...choices, [by, by === myId ? "Me" : "Somebody else"] as const]
}

const emptyWords: Readonly<Record<NonNullable<WantedList["status"]> | "any", readonly [title: string, words: string]>> =
  {
    any: ["No Work yet", "Describe a task and choose a colleague. Progress, questions and results appear here."],
    working: ["No Work is in progress", "Work in progress appears here."],
    needs_you: ["No Work needs you", "Work with an open question or approval appears here."],
    paused: ["No Work is paused", "Paused Work appears here."],
    done: ["No Work is done yet", "Finished Work appears here."],
  }

type EmptyProps = {
  wanted: WantedList
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
        Try different filters.
      </EmptyState>
    )
  }
  const [title, whatAppears] = emptyWords[status ?? "any"]
  return (
    <EmptyState
      title={title}
      action={
        status === undefined && offersSample ? (
          <ButtonLink to="/work/new?sample">Try it with a sample file</ButtonLink>
        ) : (
          <ButtonLink to="/work/new" kind="primary">
            New Work
          </ButtonLink>
        )
      }
    >
      {whatAppears}
    </EmptyState>
  )
}
