import { type ReactNode, useState } from "react"
import type { DeskError } from "../client/desk-error.ts"
import { Button } from "./button.tsx"
import { Dialog, DialogActions } from "./dialog.tsx"
import { ErrorAlert } from "./error-alert.tsx"
import { Field } from "./field.tsx"

type Props = {
  title: string
  /** The word on the button that sends the name. */
  action: string
  /** The name to begin with. */
  name?: string
  hint?: ReactNode
  /** What is wrong with a name, in a sentence; undefined where nothing is. */
  problemOf: (name: string) => string | undefined
  onName: (name: string) => void
  isPending: boolean
  error: DeskError | null
  /** What stays as it was, after an error. */
  kept: string
  onClose: () => void
}

/** Asks for a name. */
export function NameDialog({
  title,
  action,
  name = "",
  hint,
  problemOf,
  onName,
  isPending,
  error,
  kept,
  onClose,
}: Props) {
  const [typed, setTyped] = useState(name)
  const problem = problemOf(typed)
  const isBlocked = problem !== undefined || isPending
  return (
    <Dialog title={title} onCancel={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBlocked) onName(typed.trim())
        }}
      >
        {/* Nothing is wrong yet before the first letter. */}
        <Field label="Name" hint={hint} error={typed === "" && name === "" ? undefined : problem}>
          {(control) => (
            <input
              {...control}
              data-autofocus
              type="text"
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        {error !== null && <ErrorAlert error={error} kept={kept} compact />}
        <DialogActions>
          <Button type="submit" kind="primary" inactive={isBlocked}>
            {action}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
