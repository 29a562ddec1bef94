import { useMemo } from "react"
import { useSession } from "../client/session.ts"
import styles from "./claims.module.css"
import type { InboxLine } from "./inbox-lines.ts"
import {
  frequentFirst,
  groupsOf,
  type InboxPage,
  type InboxView,
  kindIn,
  teamOf,
  writeInboxView,
} from "./inbox-view.ts"
import inboxStyles from "./inbox.module.css"
import { colleagueOf, destinationOf } from "./item.ts"
import { Button } from "../ui/button.tsx"
import { activeFilter, FiltersPanel } from "../ui/filters-panel.tsx"
import { Choice, FindField, SaveView } from "../ui/list-fields.tsx"
import { priorityChoices } from "../ui/status.tsx"
import { useIsPhone } from "../ui/use-is-phone.ts"

type Change = { onChange: (change: InboxView) => void }

/** Whose items: the choice `for` of the address. */
const WHOSE = [
  ["mine", "Mine"],
  ["free", "Free"],
] as const

/** The choice between everybody's items, the person's, and items that nobody has. */
function ForChoice({ view, onChange }: Change & { view: InboxView }) {
  return (
    <fieldset aria-label="For" className={styles["pressed"]}>
      {[[undefined, "Anyone"] as const, ...WHOSE].map(([whose, name]) => (
        <Button
          key={name}
          kind="plain"
          size="small"
          aria-pressed={view.for === whose}
          onClick={() => onChange({ for: whose })}
        >
          {name}
        </Button>
      ))}
    </fieldset>
  )
}

/** Short, because filtering sends no request. A held key repeats faster than this, and changes the address once. */
const TYPING_MS = 40

const GROUP_WORDS = { work: "Work", destination: "Destination" } as const

const same = (values: readonly string[]) => values.map((value) => [value, value] as const)

type Props = Change & {
  page: InboxPage
  view: InboxView
  /** The person's pending items, without any filter. */
  waits: readonly InboxLine[]
  /** Moves the focus to the first row. */
  onEnter: () => void
}

/** The field and the choices that find items of an inbox, sort them and group them, and the button that saves them as a view. */
export function InboxControls({ page, view, waits, onChange, onEnter }: Props) {
  const kind = kindIn(page, view)
  const present = useMemo(() => {
    const entries = waits.map(({ entry }) => entry)
    return {
      colleagues: same(frequentFirst(entries.map(colleagueOf))),
      teams: same(frequentFirst(entries.map(teamOf))),
      destinations: same(frequentFirst(entries.map(({ item }) => destinationOf(item)))),
    }
  }, [waits])
  const isShared = useSession()?.mode === "sign-in"
  const active = [
    ...(isShared ? activeFilter("For", view.for, WHOSE, () => onChange({ for: undefined })) : []),
    ...activeFilter("Colleague", view.colleague, present.colleagues, () => onChange({ colleague: undefined })),
    ...activeFilter("Priority", view.priority, priorityChoices, () => onChange({ priority: undefined })),
    ...activeFilter("Team", view.team, present.teams, () => onChange({ team: undefined })),
    ...activeFilter("Destination", view.to, present.destinations, () => onChange({ to: undefined })),
  ]
  const isPhone = useIsPhone()
  const save = <SaveView page={page} query={writeInboxView(view)} />
  return (
    <FiltersPanel
      className={inboxStyles["tools"]}
      active={active}
      find={
        <FindField
          name="Find words"
          words={view.q ?? ""}
          onWords={(q) => onChange({ q: q.trim() === "" ? undefined : q })}
          pauseMs={TYPING_MS}
          onEnter={onEnter}
        />
      }
      visible={
        <>
          <Choice
            name="Sort"
            value={view.sort}
            none="Decide by"
            choices={[["oldest", "Oldest first"]]}
            onChange={(sort) => onChange({ sort })}
          />
          <Choice
            name="Group"
            value={view.group}
            none="None"
            choices={groupsOf(kind).map((group) => [group, GROUP_WORDS[group]])}
            onChange={(group) => onChange({ group })}
          />
        </>
      }
      action={!isPhone && save}
    >
      {/* In local mode one person has every item. */}
      {isShared && <ForChoice view={view} onChange={onChange} />}
      <Choice
        name="Colleague"
        value={view.colleague}
        none="Any"
        choices={present.colleagues}
        onChange={(colleague) => onChange({ colleague })}
      />
      <Choice
        name="Priority"
        value={view.priority}
        none="Any"
        choices={priorityChoices}
        onChange={(priority) => onChange({ priority })}
      />
      <Choice
        name="Team"
        value={view.team}
        none="Any"
        choices={present.teams}
        onChange={(team) => onChange({ team })}
      />
      {kind !== "clarification" && (
        <Choice
          name="Destination"
          value={view.to}
          none="Any"
          choices={present.destinations}
          onChange={(to) => onChange({ to })}
        />
      )}
      {isPhone && save}
    </FiltersPanel>
  )
}
