import { useChangeViews, viewNameProblem } from "../client/change-views.ts"
import { useSavedViews } from "../client/saved-views.ts"
import { NameDialog } from "../ui/name-dialog.tsx"

/** Saves the filters of the list as a view. `query` is the query of the list's address. */
export function SaveView({ query, onClose }: { query: string; onClose: () => void }) {
  const views = useSavedViews()
  const change = useChangeViews()
  return (
    <NameDialog
      title="Save view"
      action="Save"
      hint="The view appears in the menu, below Work."
      problemOf={(name) => viewNameProblem(name, views)}
      onName={(name) => change.mutate((now) => [...now, { name, query }], { onSuccess: onClose })}
      isPending={change.isPending}
      error={change.error}
      kept="Nothing was saved."
      onClose={onClose}
    />
  )
}
