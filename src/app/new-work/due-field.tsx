import { Field } from "../ui/field.tsx"
import { useNow } from "../ui/now.ts"
import { formatExact } from "../ui/time-words.ts"
import { momentOfDue } from "./create-request.ts"

type Props = { value: string; error: string | undefined; locked: boolean; onChange: (value: string) => void }

const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** When the Work is due, in the time zone of the reader, which the field names. */
export function DueField({ value, error, locked, onChange }: Props) {
  const now = useNow(60_000)
  const moment = momentOfDue(value)
  return (
    <Field
      label="Due"
      aside="optional"
      error={error}
      hint={
        moment === undefined
          ? `In your time zone, ${zone}`
          : `${formatExact(moment.toISOString())}, ${zone}${moment.getTime() < now ? ": in the past" : ""}`
      }
    >
      {(control) => (
        <input
          {...control}
          name="due"
          type="datetime-local"
          readOnly={locked}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
