import { useId } from "react"
import { array, string } from "valibot"
import { useSession } from "../client/session.ts"
import { defineKind, useEntry } from "../client/storage.ts"
import { Field } from "../ui/field.tsx"
import { MixedScripts } from "../ui/mixed-scripts.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { type Colleague, colleagueIdOf } from "./create-request.ts"
import type { WorkDraft } from "./work-draft.ts"

const KEPT = 12
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
  usedColleagues().write([id, ...others].slice(0, KEPT))
}

/** Whom the form names: the text of the field, and the id that it stands for. */
export type NamedColleague = {
  readonly text: string
  readonly id: string
  /** The id of the colleague whom a text names. */
  readonly idOf: (text: string) => string
  /** The colleagues that the desk offers. */
  readonly offered: readonly Colleague[]
  /** The ids of the colleagues that this person used before. */
  readonly used: readonly string[]
}

/** The colleague of the draft, or the one that was used last while nothing was typed. */
export function useColleague(draft: WorkDraft): NamedColleague {
  const offered = useSession()?.colleagues ?? []
  const used = useEntry(usedColleagues()) ?? NONE
  const text = draft.colleague ?? used[0] ?? ""
  const idOf = (text: string) => colleagueIdOf(text, offered)
  return { text, id: idOf(text), idOf, offered, used }
}

type Props = {
  colleague: NamedColleague
  readOnly: boolean
  error: string | undefined
  onChange: (value: string) => void
}

/** The colleague: any id, with the colleagues that the desk offers and those used before as suggestions. */
export function ColleagueField({ colleague: { text: value, id, offered, used }, readOnly, error, onChange }: Props) {
  const listId = useId()
  const label = offered.find((colleague) => colleague.id === id)?.label
  const others = used.filter((usedId) => !offered.some((colleague) => colleague.id === usedId))
  return (
    <Field
      label="Colleague"
      error={error}
      hint={
        label !== undefined && label !== value ? (
          <OutsideText>{label}</OutsideText>
        ) : label !== undefined ? (
          <>
            Goes to <OutsideText>{id}</OutsideText>
          </>
        ) : (
          <>
            Choose one, or write any id. <MixedScripts text={value} />
          </>
        )
      }
    >
      {(control) => (
        <>
          <input
            {...control}
            name="colleague"
            list={listId}
            required
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            readOnly={readOnly}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={listId}>
            {offered.map((colleague) => (
              <option key={colleague.id} value={colleague.id}>
                {colleague.label}
              </option>
            ))}
            {others.map((usedId) => (
              <option key={usedId} value={usedId}>
                Used before
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}
