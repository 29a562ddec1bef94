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
} from "../client/own-saved-views.ts"
import { useSession } from "../client/session.ts"
import { formatExcess, TextField } from "./field.tsx"
import { SendingDialog } from "./sending-dialog.tsx"

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
  const session = useSession()
  const builtIn = session === undefined ? [] : builtInViews(session)
  const others = [...builtIn, ...useSavedViews().filter((view) => view.name !== name)]
  const changeViews = useChangedViews()
  const problem = viewNameProblem(typed, others)
  return (
    <SendingDialog
      title={title}
      saw={name}
      action={action}
      input={problem === undefined ? typed.trim() : undefined}
      send={(_, wanted) => changeViews((views) => change(views, wanted))}
      kept={kept}
      onClose={onClose}
    >
      {() => (
        <TextField
          label="Name"
          hint={hint}
          // Nothing is wrong yet before the first letter.
          error={typed === "" && name === "" ? undefined : problem}
          data-autofocus
          value={typed}
          onText={setTyped}
        />
      )}
    </SendingDialog>
  )
}

type Change = (views: readonly SavedView[]) => readonly SavedView[]

/** Changes the saved views of the person: `change` gets the views as the desk has them now, and returns the new views. @throws DeskError */
function useChangedViews() {
  const client = useQueryClient()
  return async (change: Change) => {
    const views = await changeAtDesk(VIEWS_ADDRESS, viewsSchema, ({ views }) => ({ views: change(views) }))
    client.setQueryData(viewsOptions.queryKey, keepViews(views))
  }
}

/** A change of the saved views that a button makes. */
export function useChangeViews(onDone: () => void) {
  return useDeskMutation(useChangedViews(), { onDone })
}

/** Why a view cannot have the name, as a sentence; undefined where it can. */
function viewNameProblem(name: string, others: readonly SavedView[]): string | undefined {
  const wanted = name.trim()
  if (wanted === "") return "Enter a name."
  if (others.some((view) => view.name === wanted)) return "Another view already has this name."
  return formatExcess(wanted.length, VIEW_NAME_MAX)
}
