import { useState } from "react"
import type { SavedView } from "../../contract/desk.ts"
import { useChangeViews, viewNameProblem } from "../client/change-views.ts"
import { Button } from "../ui/button.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Field } from "../ui/field.tsx"

type Props = { view: SavedView; views: readonly SavedView[]; onClose: () => void }

/** Gives a saved view another name. */
export function RenameView({ view, views, onClose }: Props) {
  const [name, setName] = useState(view.name)
  const change = useChangeViews()
  const problem = viewNameProblem(
    name,
    views.filter((other) => other.name !== view.name),
  )
  const rename = () => {
    if (problem !== undefined || change.isPending) return
    const renamed = { ...view, name: name.trim() }
    change.mutate((now) => now.map((other) => (other.name === view.name ? renamed : other)), { onSuccess: onClose })
  }
  return (
    <Dialog title="Rename view" onCancel={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          rename()
        }}
      >
        <Field label="Name" error={problem}>
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
        {change.error && <ErrorAlert error={change.error} kept="The view keeps its old name." compact />}
        <DialogActions>
          <Button type="submit" kind="primary" disabled={problem !== undefined || change.isPending}>
            Rename
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
