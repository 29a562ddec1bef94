import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useMemo } from "react"
import { stringifyJson } from "../../contract/int64.ts"
import type { SavedView, SavedViews } from "../../contract/desk.ts"
import { DeskError, errorFromResponse, unreachable } from "./desk-error.ts"
import { deskFetch } from "./desk-fetch.ts"
import { readDeskJson } from "./desk-read.ts"

/** The views that everybody has. */
export const builtInViews: readonly SavedView[] = [
  { name: "Waiting longest", query: "sort=waiting" },
  { name: "Overdue", query: "due=overdue" },
  { name: "Due this week", query: "due=week" },
  { name: "Urgent", query: "priority=urgent" },
]

const ADDRESS = "/desk/views"

const viewsOptions = queryOptions<SavedViews, DeskError>({
  queryKey: ["views"],
  queryFn: ({ signal }) => readDeskJson(ADDRESS, signal),
  staleTime: 60_000,
})

/** The views that the person has saved; undefined before they were read. */
export function useSavedViews(): readonly SavedView[] | undefined {
  return useQuery(viewsOptions).data?.views
}

/** The built-in views and those of the person. */
export function useViews(): readonly SavedView[] {
  const saved = useSavedViews()
  return useMemo(() => [...builtInViews, ...(saved ?? [])], [saved])
}

/** How the person changes the saved views: `change` gets the views as the desk has them now, and gives the new ones. */
export function useChangeViews() {
  const client = useQueryClient()
  return useMutation<SavedViews, DeskError, (views: readonly SavedView[]) => readonly SavedView[]>({
    networkMode: "always",
    // Another tab may have changed the views.
    mutationFn: async (change) => putViews(change((await client.fetchQuery({ ...viewsOptions, staleTime: 0 })).views)),
    onSuccess: (views) => client.setQueryData(viewsOptions.queryKey, views),
  })
}

async function putViews(views: readonly SavedView[]): Promise<SavedViews> {
  const body = { views } satisfies SavedViews
  const response = await deskFetch(ADDRESS, {
    method: "PUT",
    headers: { "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
    body: stringifyJson(body),
  }).catch((cause: unknown) => {
    throw cause instanceof DeskError ? cause : unreachable(cause)
  })
  if (!response.ok) throw await errorFromResponse(response)
  return body
}
