import { useId } from "react"
import { array, string } from "valibot"
import type { SignedIn } from "../../contract/desk-people.ts"
import { EXECUTION_LIMIT_MAX_SECONDS } from "../../contract/limits.ts"
import type { VisibilityScope } from "../../contract/resources.ts"
import { timeZone } from "../client/clock.ts"
import { useSession } from "../client/session.ts"
import { defineKind, useEntry } from "../client/storage.ts"
import { useNow } from "../ui/clocks.tsx"
import { Select, TextField } from "../ui/field.tsx"
import { writeHidden } from "../ui/hidden-characters.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { MixedScripts } from "../ui/mixed-scripts.tsx"
import { priorityChoices } from "../ui/status.tsx"
import { formatExact } from "../ui/time-words.ts"
import { formatDuration, readTimeLimit } from "./time-limit.ts"
import { type Colleague, colleagueIdOf, momentOfDue, VISIBILITY_SCOPES, type WorkDraft } from "./work-draft.ts"

const KEPT_MAX = 12
const NONE: readonly string[] = []

/** The ids of the colleagues that this person created Work for, the last one first. */
const usedColleagues = defineKind<readonly [], readonly string[]>({
  name: "used-colleagues",
  schema: array(string()),
  keptDays: 365,
})

/** Puts a colleague's id before the others that were used. */
export function rememberColleague(id: string): void {
  const others = (usedColleagues().read() ?? NONE).filter((other) => other !== id)
  usedColleagues().write([id, ...others].slice(0, KEPT_MAX))
}

/** Whom the form names: the colleague of the draft, or the colleague that was used last until the person types. */
export function useColleague(draft: WorkDraft) {
  const offered: readonly Colleague[] = useSession()?.colleagues ?? []
  const used = useEntry(usedColleagues()) ?? NONE
  const text = draft.colleague ?? used[0] ?? ""
  const idOf = (text: string) => colleagueIdOf(text, offered)
  const others = used.filter((usedId) => !offered.some(({ id }) => id === usedId))
  return {
    text,
    /** The id that the text stands for. */
    id: idOf(text),
    /** The id of the colleague whom a text names. */
    idOf,
    offered,
    /** The colleagues that the desk offers, then those that this person used before. */
    suggestions: [...offered, ...others.map((id): Colleague => ({ id, label: "Used before" }))],
  }
}

type NamedColleague = ReturnType<typeof useColleague>

type ColleagueProps = {
  colleague: NamedColleague
  readOnly: boolean
  error: string | undefined
  onChange: (value: string) => void
}

/** The colleague: any id, with suggestions. */
export function ColleagueField({ colleague, readOnly, error, onChange }: ColleagueProps) {
  const listId = useId()
  return (
    <>
      <TextField
        label="Colleague"
        hint={<ColleagueHint colleague={colleague} />}
        error={error}
        name="colleague"
        list={listId}
        required
        autoCapitalize="off"
        spellCheck={false}
        readOnly={readOnly}
        value={colleague.text}
        onText={onChange}
      />
      <datalist id={listId}>
        {colleague.suggestions.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </datalist>
    </>
  )
}

/** Says whom the text names: the label where the id was typed, and the id where the label was. */
function ColleagueHint({ colleague: { text, id, offered } }: { colleague: NamedColleague }) {
  const label = offered.find((colleague) => colleague.id === id)?.label
  if (label === undefined)
    return (
      <>
        Choose a colleague, or write any id. <MixedScripts text={text} />
      </>
    )
  if (label !== text) return <OutsideText>{label}</OutsideText>
  return (
    <>
      Goes to <OutsideText>{id}</OutsideText>
    </>
  )
}

type Scopes = Readonly<Record<VisibilityScope, { readonly word: string; readonly means: string }>>

/** The words without sign-in. Then the service alone decides who sees the Work. */
const scopes: Scopes = {
  private: { word: "Private", means: "Only its owner sees it." },
  team: { word: "Team", means: "The owner's team sees it." },
  organization: { word: "Organization", means: "Everybody in the organization sees it." },
}

/** The scopes with the people of this desk who see such Work, in the words of the access file (`docs/operating.md`, "Who sees what"). */
function scopesAt({ teams, has_overseers: hasOverseers }: SignedIn): Scopes {
  const approvers = "whoever may approve what it asks for"
  const seenBy = (scope: string, who: string) => ({
    word: writeHidden(`${scope}: ${who}`),
    means: `Seen by ${writeHidden(who)}`,
  })
  return {
    private: seenBy("Private", hasOverseers ? `you, ${approvers}, and overseers` : `you, and ${approvers}`),
    team: seenBy("Team", teams.length > 0 ? teams.join(", ") : "everybody at this desk, if the desk has no teams"),
    organization: seenBy("Organization", "everybody at this desk"),
  }
}

type Props = {
  draft: WorkDraft
  errorOf: (field: "due" | "timeLimit") => string | undefined
  locked: boolean
  onChange: (changed: Partial<WorkDraft>) => void
}

/** The fields that say how urgent the Work is, who sees it, when it is due and how long it may take. */
export function PlainFields({ draft, errorOf, locked, onChange }: Props) {
  const session = useSession()
  const offered = session?.mode === "sign-in" ? scopesAt(session) : scopes
  return (
    <>
      <Select
        label="Priority"
        name="priority"
        disabled={locked}
        value={draft.priority}
        choices={priorityChoices.toReversed()}
        onChoose={(priority) => priority !== undefined && onChange({ priority })}
      />
      {/* The closed choice cuts its text off where the field is narrow, so the hint repeats who will see the Work. */}
      <Select
        label="Visibility"
        hint={offered[draft.visibility].means}
        name="visibility"
        disabled={locked}
        value={draft.visibility}
        choices={VISIBILITY_SCOPES.map((scope) => [scope, offered[scope].word])}
        onChoose={(visibility) => visibility !== undefined && onChange({ visibility })}
      />
      <TextField
        label="Due"
        aside="optional"
        name="due"
        type="datetime-local"
        hint={<DueHint due={draft.due} />}
        error={errorOf("due")}
        readOnly={locked}
        value={draft.due}
        onText={(due) => onChange({ due })}
      />
      <TextField
        label="Time limit"
        aside="optional"
        name="timeLimit"
        placeholder="30 min, 1 h 30 min"
        hint={timeLimitHint(draft.timeLimit)}
        error={errorOf("timeLimit")}
        readOnly={locked}
        value={draft.timeLimit}
        onText={(timeLimit) => onChange({ timeLimit })}
      />
    </>
  )
}

function DueHint({ due }: { due: string }) {
  const now = useNow(60_000)
  const moment = momentOfDue(due)
  if (moment === undefined) return `In your time zone, ${timeZone()}`
  return `${formatExact(moment.toISOString())}, ${timeZone()}${moment.getTime() < now ? ": in the past" : ""}`
}

function timeLimitHint(text: string): string {
  const limit = readTimeLimit(text)
  if (limit === undefined || "problem" in limit)
    return `Active work, at most ${formatDuration(EXECUTION_LIMIT_MAX_SECONDS)}`
  return `${formatDuration(limit.seconds)} of active work`
}
