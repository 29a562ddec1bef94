import { useState } from "react"
import { useChangeViews, viewNameProblem } from "../client/change-views.ts"
import { useSavedViews } from "../client/views.ts"
import { Button } from "../ui/button.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Field } from "../ui/field.tsx"

/** Names the present address of the list; `query` is its query. */
export function SaveView({ query, onClose }: { query: string; onClose: () => void }) {
  const [name, setName] = useState("")
  const problem = viewNameProblem(name, useSavedViews())
  const change = useChangeViews()
  const save = () => {
    if (problem !== undefined || change.isPending) return
    change.mutate((views) => [...views, { name: name.trim(), query }], { onSuccess: onClose })
  }
  return (
    <Dialog title="Save view" onCancel={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <Field
          label="Name"
          hint="The view stands in the navigation, below Work."
          error={name === "" ? undefined : problem}
        >
          {(control) => (
            <input
              {...control}
              data-autofocus
              type="text"
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {change.error !== null && <ErrorAlert error={change.error} kept="Nothing was saved." compact />}
        <DialogActions>
          <Button type="submit" kind="primary" inactive={problem !== undefined || change.isPending}>
            Save
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
