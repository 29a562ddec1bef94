import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { SavedView, SavedViews } from "../../contract/desk.ts"
import { DeskError, errorFromResponse, unreachable } from "./desk-error.ts"
import { deskFetch } from "./desk-fetch.ts"
import { builtInViews, keepViews, viewsOptions } from "./views.ts"

const MAX_NAME = 100

/** Why a view cannot have the name, as a sentence; undefined where it can. */
export function viewNameProblem(name: string, others: readonly SavedView[]): string | undefined {
  const wanted = name.trim()
  if (wanted === "") return "Give the view a name."
  if ([...builtInViews, ...others].some((view) => view.name === wanted)) return "Another view has this name."
  const excess = wanted.length - MAX_NAME
  return excess > 0 ? `The name is ${excess} characters too long.` : undefined
}

/** Changes the saved views of the person: `change` gets the views as the desk has them now, and returns the new views. */
export function useChangeViews() {
  const client = useQueryClient()
  return useMutation<SavedViews, DeskError, (views: readonly SavedView[]) => readonly SavedView[]>({
    networkMode: "always",
    // Another tab may have changed the views.
    mutationFn: async (change) => putViews(change((await client.fetchQuery({ ...viewsOptions, staleTime: 0 })).views)),
    onSuccess: (views) => client.setQueryData(viewsOptions.queryKey, keepViews(views)),
  })
}

async function putViews(views: readonly SavedView[]): Promise<SavedViews> {
  const body = { views } satisfies SavedViews
  const response = await deskFetch("/desk/views", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch((cause: unknown) => {
    throw cause instanceof DeskError ? cause : unreachable(cause)
  })
  if (!response.ok) throw await errorFromResponse(response)
  return body
}
