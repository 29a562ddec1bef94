import { useState } from "react"
import { builtInViews, useChangeViews, useSavedViews } from "../client/views.ts"
import { Button } from "../ui/button.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Field } from "../ui/field.tsx"

const NAME_MAX = 100

/** Names the present address of the list. A view with the same name is replaced. */
export function SaveView({ query, onClose }: { query: string; onClose: () => void }) {
  const [name, setName] = useState("")
  const saved = useSavedViews()
  const change = useChangeViews()
  const trimmed = name.trim()
  const isBuiltIn = builtInViews.some((view) => view.name === trimmed)
  const isThere = saved?.some((view) => view.name === trimmed) === true
  const hint = isThere ? "The view of this name is replaced." : "The view stands in the navigation, below Work."
  const save = () => {
    if (trimmed === "" || isBuiltIn || change.isPending) return
    change.mutate((views) => [...views.filter((view) => view.name !== trimmed), { name: trimmed, query }], {
      onSuccess: onClose,
    })
  }
  return (
    <Dialog title="Save view" onCancel={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <Field label="Name" hint={hint} error={isBuiltIn ? "A built-in view has this name." : undefined}>
          {(control) => (
            <input
              {...control}
              data-autofocus
              maxLength={NAME_MAX}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {change.error !== null && <ErrorAlert error={change.error} kept="Nothing was saved." compact />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" inactive={trimmed === "" || isBuiltIn || change.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
