import { queryOptions, useQuery } from "@tanstack/react-query"
import type { SavedView, SavedViews } from "../../contract/desk-people.ts"
import type { DeskError } from "./desk-error.ts"
import { readDesk } from "./desk-request.ts"
import { schemaOf } from "./schema.ts"
import { defineKind } from "./storage.ts"

/** The views that everybody has. */
export const builtInViews: readonly SavedView[] = [
  { name: "Waiting longest", query: "sort=waiting" },
  { name: "Overdue", query: "due=overdue" },
  { name: "Due this week", query: "due=week" },
  { name: "Urgent", query: "priority=urgent" },
]

const isText = (value: unknown) => typeof value === "string"

/** The answer of `/desk/views`. */
export const viewsSchema = schemaOf(
  (value): value is SavedViews =>
    isObject(value) &&
    Array.isArray(value["views"]) &&
    value["views"].every((view) => isObject(view) && isText(view["name"]) && isText(view["query"])),
)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The saved views as they were read last. The menu shows them until the desk answers, and where the desk does not answer. */
const lastViews = defineKind<readonly [], SavedViews>({
  name: "views",
  version: 1,
  schema: viewsSchema,
  forgetAfterMs: 90 * 24 * 60 * 60_000,
})

export const VIEWS_ADDRESS = "/desk/views"
export const viewsOptions = queryOptions<SavedViews, DeskError>({
  queryKey: ["views"],
  queryFn: async ({ signal }) => keepViews(await readDesk(VIEWS_ADDRESS, viewsSchema, { signal })),
  staleTime: 60_000,
})

/** Keeps the answer of the desk for the next page load. */
export function keepViews(views: SavedViews): SavedViews {
  lastViews().write(views)
  return views
}

const NONE: readonly SavedView[] = []

/** The views that the person has saved, in their order. Until the desk answers, these are the views of the last time. */
export function useSavedViews(): readonly SavedView[] {
  const { data } = useQuery(viewsOptions)
  return (data ?? lastViews().read())?.views ?? NONE
}
