import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { type SavedView, VIEW_NAME_MAX } from "../../contract/desk-people.ts"
import { changeAtDesk, useDeskMutation } from "../client/desk-writes.ts"
import {
  builtInViews,
  keepViews,
  useSavedViews,
  VIEWS_ADDRESS,
  viewsOptions,
  viewsSchema,
} from "../client/saved-views.ts"
import { Button } from "./button.tsx"
import { Dialog, DialogActions } from "./dialog.tsx"
import { ErrorAlert } from "./error-alert.tsx"
import { sayExcess, TextField } from "./field.tsx"

type Props = {
  title: string
  /** The word on the button that sends the name. */
  action: string
  /** The name that the view has. */
  name?: string
  hint?: string
  /** What stays as it was, after an error. */
  kept: string
  /** The person's views with the new name. */
  change: (views: readonly SavedView[], name: string) => readonly SavedView[]
  onClose: () => void
}

/** Asks for the name of a saved view, and changes the person's views. */
export function ViewNameDialog({ title, action, name = "", hint, kept, change, onClose }: Props) {
  const [typed, setTyped] = useState(name)
  const others = useSavedViews().filter((view) => view.name !== name)
  const { mutate, isPending, error } = useChangeViews(onClose)
  const problem = viewNameProblem(typed, others)
  const isBlocked = problem !== undefined || isPending
  return (
    <Dialog title={title} onCancel={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBlocked) mutate((views) => change(views, typed.trim()))
        }}
      >
        {/* Nothing is wrong yet before the first letter. */}
        <TextField
          label="Name"
          hint={hint}
          error={typed === "" && name === "" ? undefined : problem}
          data-autofocus
          value={typed}
          onText={setTyped}
        />
        <ErrorAlert error={error} kept={kept} compact />
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

/** Changes the saved views of the person: `change` gets the views as the desk has them now, and returns the new views. */
export function useChangeViews(onDone?: () => void) {
  const client = useQueryClient()
  return useDeskMutation(
    (change: (views: readonly SavedView[]) => readonly SavedView[]) =>
      changeAtDesk(VIEWS_ADDRESS, viewsSchema, ({ views }) => ({ views: change(views) })),
    {
      onDone: (views) => {
        client.setQueryData(viewsOptions.queryKey, keepViews(views))
        onDone?.()
      },
    },
  )
}

/** Why a view cannot have the name, as a sentence; undefined where it can. */
function viewNameProblem(name: string, others: readonly SavedView[]): string | undefined {
  const wanted = name.trim()
  if (wanted === "") return "Give the view a name."
  if ([...builtInViews, ...others].some((view) => view.name === wanted)) return "Another view has this name."
  return sayExcess(wanted.length, VIEW_NAME_MAX)
}
