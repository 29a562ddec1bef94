import type { SavedView } from "../../contract/desk.ts"
import { useChangeViews, viewNameProblem } from "../client/change-views.ts"
import { NameDialog } from "../ui/name-dialog.tsx"

type Props = { view: SavedView; views: readonly SavedView[]; onClose: () => void }

/** Gives a saved view another name. */
export function RenameView({ view, views, onClose }: Props) {
  const change = useChangeViews()
  const others = views.filter(({ name }) => name !== view.name)
  const rename = (name: string) =>
    change.mutate((now) => now.map((other) => (other.name === view.name ? { ...view, name } : other)), {
      onSuccess: onClose,
    })
  return (
    <NameDialog
      title="Rename view"
      action="Rename"
      name={view.name}
      problemOf={(name) => viewNameProblem(name, others)}
      onName={rename}
      isPending={change.isPending}
      error={change.error}
      kept="The view keeps its old name."
      onClose={onClose}
    />
  )
}
