import { useRef, useState } from "react"
import type { SavedView } from "../../contract/desk-people.ts"
import { writeHidden } from "../ui/hidden-characters.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Icon } from "../ui/icon.tsx"
import { useKeptFocus } from "../ui/use-kept-focus.ts"
import { useChangeViews, ViewNameDialog } from "../ui/view-name-dialog.tsx"
import styles from "./saved-view-links.module.css"
import shellStyles from "./shell.module.css"
import { ViewLink } from "./menu.tsx"

/** The views that the person has saved, each with a button to rename and a button to remove the view. */
export function SavedViewLinks({ views }: { views: readonly SavedView[] }) {
  const [renamed, setRenamed] = useState<SavedView>()
  const list = useRef<HTMLDivElement>(null)
  /** The row of the view that the person renames or removes. */
  const row = useRef<number>(-1)
  const linkIn = (at: number) => list.current?.children[at]?.querySelector("a")
  useKeptFocus(list, () => linkIn(row.current))
  /** The focus leaves the row before it goes: to the view that takes its place, else to the one before it, else to the link `Work`. */
  const moveFocus = () => {
    if (!list.current?.children[row.current]?.contains(document.activeElement)) return
    const next = linkIn(row.current + 1) ?? linkIn(row.current - 1)
    const neighbour = next ?? document.querySelector<HTMLElement>("nav a[href='/work']")
    neighbour?.focus()
  }
  const change = useChangeViews(moveFocus)
  const rename = (view: SavedView) => {
    row.current = views.indexOf(view)
    setRenamed(view)
  }
  const remove = (view: SavedView) => {
    if (change.isPending) return
    row.current = views.indexOf(view)
    change.mutate((now) => now.filter(({ name }) => name !== view.name))
  }
  return (
    <div ref={list} className={styles["saved"]}>
      {views.map((view) => (
        <div key={view.name} className={styles["row"]}>
          <ViewLink view={view} />
          <button
            type="button"
            className={shellStyles["tool"]}
            aria-label={`Rename ${writeHidden(view.name)}`}
            title="Rename"
            onClick={() => rename(view)}
          >
            <Icon name="rename" size={14} />
          </button>
          <button
            type="button"
            className={shellStyles["tool"]}
            aria-label={`Remove ${writeHidden(view.name)}`}
            title="Remove"
            aria-disabled={change.isPending || undefined}
            onClick={() => remove(view)}
          >
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
      <ErrorAlert error={change.error} kept="The view wasn't removed." compact />
      {renamed && (
        <ViewNameDialog
          title="Rename view"
          action="Rename"
          name={renamed.name}
          kept="The view wasn't renamed."
          change={(now, name) => now.map((view) => (view.name === renamed.name ? { ...view, name } : view))}
          onClose={() => setRenamed(undefined)}
        />
      )}
    </div>
  )
}
