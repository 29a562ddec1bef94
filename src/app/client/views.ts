import { queryOptions, useQuery } from "@tanstack/react-query"
import type { SavedView, SavedViews } from "../../contract/desk.ts"
import type { DeskError } from "./desk-error.ts"
import { readDeskJson } from "./desk-read.ts"
import { defineKind, schemaOf } from "./storage.ts"

/** The views that everybody has. */
export const builtInViews: readonly SavedView[] = [
  { name: "Waiting longest", query: "sort=waiting" },
  { name: "Overdue", query: "due=overdue" },
  { name: "Due this week", query: "due=week" },
  { name: "Urgent", query: "priority=urgent" },
]

/** The saved views as they were read last, so that the menu does not move when the desk answers. */
const lastViews = defineKind<readonly [], SavedViews>({
  name: "views",
  version: 1,
  schema: schemaOf(isSavedViews),
  forgetAfterMs: 90 * 24 * 60 * 60_000,
  maxCharacters: 250_000,
  mayGo: true,
})

function isSavedViews(value: unknown): value is SavedViews {
  return (
    isObject(value) &&
    Array.isArray(value["views"]) &&
    value["views"].every(
      (view) => isObject(view) && typeof view["name"] === "string" && typeof view["query"] === "string",
    )
  )
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The views that the person has saved. */
export const viewsOptions = queryOptions<SavedViews, DeskError>({
  queryKey: ["views"],
  queryFn: async ({ signal }) => keepViews(await readDeskJson("/desk/views", signal)),
  staleTime: 60_000,
})

/** Keeps the answer of the desk for the next page load. */
export function keepViews(views: SavedViews): SavedViews {
  lastViews().write(views)
  return views
}

const NONE: SavedViews = { views: [] }

/** The views that the person has saved, in their order. Until the desk answers, these are the views of the last time. */
export function useSavedViews(): readonly SavedView[] {
  return (useQuery({ ...viewsOptions, placeholderData: () => lastViews().read() }).data ?? NONE).views
}
