import { useId } from "react"
import { array, string } from "valibot"
import { useSession } from "../client/session.ts"
import { defineKind, useEntry } from "../client/storage.ts"
import { TextField } from "../ui/field.tsx"
import { MixedScripts } from "../ui/mixed-scripts.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { type Colleague, colleagueIdOf } from "./create-request.ts"
import type { WorkDraft } from "./work-draft.ts"

const KEPT_MAX = 12
const NONE: readonly string[] = []

/** The ids of the colleagues that this person created Work for, the last one first. */
const usedColleagues = defineKind<readonly [], readonly string[]>({
  name: "used-colleagues",
  version: 1,
  schema: array(string()),
  forgetAfterMs: 365 * 24 * 60 * 60_000,
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

type Props = {
  colleague: NamedColleague
  readOnly: boolean
  error: string | undefined
  onChange: (value: string) => void
}

/** The colleague: any id, with suggestions. */
export function ColleagueField({ colleague, readOnly, error, onChange }: Props) {
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
