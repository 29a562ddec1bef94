import { useId } from "react"
import { Field } from "../ui/field.tsx"
import { MixedScripts } from "../ui/mixed-scripts.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import type { Colleague } from "./create-request.ts"

type Props = {
  value: string
  /** The id of the colleague whom the value names. */
  id: string
  offered: readonly Colleague[]
  used: readonly string[]
  readOnly: boolean
  error: string | undefined
  onChange: (value: string) => void
}

/** The colleague: any id, with the colleagues that the desk offers and those used before as suggestions. */
export function ColleagueField({ value, id, offered, used, readOnly, error, onChange }: Props) {
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
