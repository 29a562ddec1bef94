import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type SavedView, type SavedViews, VIEW_NAME_MAX } from "../../contract/desk-people.ts"
import type { DeskError } from "./desk-error.ts"
import { changeSetting } from "./desk-settings.ts"
import { builtInViews, isSavedViews, keepViews, viewsOptions } from "./saved-views.ts"

/** Why a view cannot have the name, as a sentence; undefined where it can. */
export function viewNameProblem(name: string, others: readonly SavedView[]): string | undefined {
  const wanted = name.trim()
  if (wanted === "") return "Give the view a name."
  if ([...builtInViews, ...others].some((view) => view.name === wanted)) return "Another view has this name."
  const excess = wanted.length - VIEW_NAME_MAX
  return excess > 0 ? `The name is ${excess} characters too long.` : undefined
}

/** Changes the saved views of the person: `change` gets the views as the desk has them now, and returns the new views. */
export function useChangeViews() {
  const client = useQueryClient()
  return useMutation<SavedViews, DeskError, (views: readonly SavedView[]) => readonly SavedView[]>({
    networkMode: "always",
    mutationFn: (change) => changeSetting("/desk/views", isSavedViews, ({ views }) => ({ views: change(views) })),
    onSuccess: (views) => client.setQueryData(viewsOptions.queryKey, keepViews(views)),
  })
}
