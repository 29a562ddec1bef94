import { Field } from "../ui/field.tsx"
import { formatDuration, readTimeLimit } from "./time-limit.ts"

type Props = { value: string; error: string | undefined; locked: boolean; onChange: (value: string) => void }

/** How long the colleague may be active, in minutes and hours. The field repeats what it understood. */
export function TimeLimitField({ value, error, locked, onChange }: Props) {
  const limit = value.trim() === "" ? undefined : readTimeLimit(value)
  return (
    <Field
      label="Time limit"
      aside="optional"
      error={error}
      hint={
        limit !== undefined && "seconds" in limit
          ? `${formatDuration(limit.seconds)} of active work`
          : "Active work, at most 24 hours"
      }
    >
      {(control) => (
        <input
          {...control}
          name="timeLimit"
          autoComplete="off"
          placeholder="30 min, 1 h 30 min"
          readOnly={locked}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
