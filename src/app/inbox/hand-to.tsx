import { useQuery } from "@tanstack/react-query"
import { useId, useState } from "react"
import type { Assignees } from "../../contract/desk-people.ts"
import { countCharacters } from "../../contract/limits.ts"
import type { DeskError } from "../client/desk-error.ts"
import { workKey } from "../client/work-reads.ts"
import { readAssignees } from "../client/team.ts"
import { Button } from "../ui/button.tsx"
import { CharacterCount } from "../ui/character-count.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Field } from "../ui/field.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import type { ItemId } from "./item.ts"
import { useAct } from "./use-act.ts"

const NOTE_MAX_CHARACTERS = 280

type Props = {
  id: ItemId
  /** Hands the item over. @throws DeskError */
  onHand: (to: { person: string } | { team: string }, note: string) => Promise<void>
  onClose: () => void
}

/** Asks to whom an item is handed, with a note for them. */
export function HandTo({ id: [work, item], onHand, onClose }: Props) {
  const { data, error } = useQuery<Assignees, DeskError>({
    queryKey: [...workKey(work), "assignees", item],
    queryFn: ({ signal }) => readAssignees(work, item, signal),
  })
  const [chosen, setChosen] = useState("")
  const [note, setNote] = useState("")
  const { error: refused, act } = useAct()
  const countId = useId()
  const count = countCharacters(note)
  const choices = [
    ...(data?.people ?? []).map(({ id, name }) => ({ value: `person ${id}`, name, to: { person: id } })),
    ...(data?.teams ?? []).map((team) => ({ value: `team ${team}`, name: team, to: { team } })),
  ]
  const choice = choices.find(({ value }) => value === chosen)
  const hand = () => {
    if (choice !== undefined) act(() => onHand(choice.to, note).then(onClose))
  }
  return (
    <Dialog title="Hand to" onCancel={onClose}>
      {error && <ErrorAlert error={error} compact />}
      {data === undefined && error === null && <Skeleton width="60%" />}
      {data !== undefined && choices.length === 0 && (
        <p>Nobody else may decide this. People appear here when they have signed in within 30 days.</p>
      )}
      {choices.length > 0 && (
        <>
          <Field label="To">
            {(control) => (
              <select {...control} data-autofocus="" value={chosen} onChange={(event) => setChosen(event.target.value)}>
                <option value="">Choose a person or a team</option>
                {choices.map(({ value, name }) => (
                  <option key={value} value={value}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field
            label="Note"
            aside="optional"
            count={<CharacterCount id={countId} count={count} limit={NOTE_MAX_CHARACTERS} />}
          >
            {(control) => <textarea {...control} value={note} onChange={(event) => setNote(event.target.value)} />}
          </Field>
        </>
      )}
      {refused && <ErrorAlert error={refused} kept="Your note is kept." compact />}
      <DialogActions>
        <Button
          kind="primary"
          disabled={choice === undefined || count > NOTE_MAX_CHARACTERS}
          aria-describedby={countId}
          onClick={hand}
        >
          Hand over
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </DialogActions>
    </Dialog>
  )
}
