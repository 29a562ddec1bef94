import { useId, useState } from "react"
import { array, string } from "valibot"
import type { SignedIn } from "../../contract/desk-people.ts"
import { EXECUTION_LIMIT_MAX_SECONDS } from "../../contract/limits.ts"
import type { VisibilityScope } from "../../contract/resources.ts"
import { timeZone } from "../client/clock.ts"
import { useSession } from "../client/session.ts"
import { useIsPhone } from "../ui/use-is-phone.ts"
import { defineKind, useEntry } from "../client/storage.ts"
import { useNow } from "../ui/clocks.tsx"
import { classes } from "../ui/classes.ts"
import { Select, TextField } from "../ui/field.tsx"
import fieldStyles from "../ui/field.module.css"
import { writeHidden } from "../ui/hidden-characters.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { MixedScripts } from "../ui/mixed-scripts.tsx"
import { priorityChoices } from "../ui/status.tsx"
import { formatExact } from "../ui/time-words.ts"
import styles from "./new-work.module.css"
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
  return {
    text,
    /** The id that the text stands for. */
    id: idOf(text),
    /** The id of the colleague whom a text names. */
    idOf,
    offered,
  }
}

type NamedColleague = ReturnType<typeof useColleague>

type ColleagueProps = {
  colleague: NamedColleague
  readOnly: boolean
  error: string | undefined
  onChange: (value: string) => void
}

/** The choice of a colleague: one that the desk offers, or any other id. If the desk offers none, only the field for an id. */
export function ColleagueField(props: ColleagueProps) {
  if (props.colleague.offered.length === 0) return <ColleagueText {...props} label="Colleague" />
  return <ColleagueChoice {...props} />
}

function ColleagueChoice({ colleague, readOnly, error, onChange }: ColleagueProps) {
  const { offered, id, text } = colleague
  const groupId = useId()
  // While it is being typed, an id may briefly equal the id of an offered colleague.
  const [isTyping, setIsTyping] = useState(false)
  const isOther = isTyping || (text !== "" && !offered.some((each) => each.id === id))
  const radio = (value: string, checked: boolean, onChoose: () => void) => ({
    type: "radio",
    name: "colleague",
    value,
    checked,
    disabled: readOnly,
    onChange: onChoose,
  })
  return (
    <div>
      <span id={groupId} className={fieldStyles["label"]}>
        Colleague
      </span>
      <div
        role="radiogroup"
        aria-labelledby={groupId}
        className={styles["colleagues"]}
        {...(error !== undefined && !isOther && { "aria-invalid": true, "aria-describedby": `${groupId}-error` })}
      >
        {offered.map((each, index) => (
          <label key={each.id}>
            <input
              {...radio(each.id, !isOther && each.id === id, () => {
                setIsTyping(false)
                onChange(each.id)
              })}
              aria-labelledby={`${groupId}-${index}`}
              {...(each.does !== undefined && { "aria-describedby": `${groupId}-${index}-does` })}
            />
            <span>
              <b id={`${groupId}-${index}`}>
                <OutsideText>{each.label}</OutsideText>
              </b>
              {each.does !== undefined && (
                <span id={`${groupId}-${index}-does`} className="small soft">
                  <OutsideText>{each.does}</OutsideText>
                </span>
              )}
            </span>
          </label>
        ))}
        <label>
          <input
            {...radio("", isOther, () => {
              setIsTyping(true)
              onChange("")
            })}
          />
          Another id…
        </label>
      </div>
      {isOther ? (
        <div className={styles["another"]}>
          <ColleagueText {...{ colleague, readOnly, error, onChange }} label="Colleague id" />
        </div>
      ) : (
        error !== undefined && (
          <span id={`${groupId}-error`} className={classes("small", fieldStyles["error"])}>
            {error}
          </span>
        )
      )}
    </div>
  )
}

/** The field for a colleague's id. */
function ColleagueText({ label, colleague, readOnly, error, onChange }: ColleagueProps & { label: string }) {
  return (
    <TextField
      label={label}
      hint={<MixedScripts text={colleague.text} />}
      error={error}
      name="colleague"
      required
      autoCapitalize="off"
      spellCheck={false}
      readOnly={readOnly}
      value={colleague.text}
      onText={onChange}
    />
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
  const approvers = "people who may approve its requests"
  const seenBy = (scope: string, who: string) => ({
    word: writeHidden(`${scope}: ${who}`),
    means: `Visible to ${writeHidden(who)}`,
  })
  return {
    private: seenBy("Private", hasOverseers ? `you, ${approvers}, and overseers` : `you and ${approvers}`),
    team: seenBy("Team", teams.length > 0 ? teams.join(", ") : "your team, or everybody if this desk has no teams"),
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
  const isPhone = useIsPhone()
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
      <div className={styles["row"]}>
        {/* With sign-in the choice says who will see the Work. Some browsers cut the choice off on a phone, so there the hint repeats it. */}
        <Select
          label="Visibility"
          hint={offered === scopes || isPhone ? offered[draft.visibility].means : undefined}
          name="visibility"
          disabled={locked}
          value={draft.visibility}
          choices={VISIBILITY_SCOPES.map((scope) => [scope, offered[scope].word])}
          onChoose={(visibility) => visibility !== undefined && onChange({ visibility })}
        />
      </div>
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
  return `${formatExact(moment.toISOString())}, ${timeZone()}${moment.getTime() < now ? " (in the past)" : ""}`
}

function timeLimitHint(text: string): string {
  const limit = readTimeLimit(text)
  if (limit === undefined || "problem" in limit)
    return `Active work, at most ${formatDuration(EXECUTION_LIMIT_MAX_SECONDS)}`
  return `${formatDuration(limit.seconds)} of active work`
}
