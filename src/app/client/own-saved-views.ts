/** The saved views of the person: the built-in ones, and those that the desk stores. */
import { queryOptions, useQuery } from "@tanstack/react-query"
import type { SavedView, SavedViews, SignedIn } from "../../contract/desk-people.ts"
import type { DeskError } from "./desk-error.ts"
import { readDesk } from "./desk-request.ts"
import { isObject, schemaOf } from "./value-schema.ts"
import { defineKind } from "./storage.ts"

/** The views that everybody has. In local mode everything was delegated by the one person. */
export const builtInViews = ({ mode }: Pick<SignedIn, "mode">): readonly SavedView[] => [
  ...(mode === "sign-in" ? [{ name: "Delegated by me", query: "by=me" }] : []),
  { name: "Waiting longest", query: "sort=waiting" },
  { name: "Overdue", query: "due=overdue" },
  { name: "Due this week", query: "due=week" },
  { name: "Urgent", query: "priority=urgent" },
]

/** The query of a view of an inbox page begins with the name of the page. Every other view is one of the list of Work. */
const inboxPage = /^page=(needs-you|approvals)&?/

/** The stored query of a view of `page`, whose address has `query`. */
export function queryOfView(page: "/work" | "/needs-you" | "/approvals", query: string): string {
  return page === "/work" ? query : `page=${page.slice(1)}${query && `&${query}`}`
}

/** The address that a view opens. */
export function addressOfView({ query }: SavedView): string {
  const [prefix, page = "work"] = inboxPage.exec(query) ?? [""]
  return `/${page}?${query.slice(prefix.length)}`.replace(/\?$/, "")
}

/** The answer of `/desk/views`. */
export const viewsSchema = schemaOf(
  (value): value is SavedViews =>
    isObject(value) &&
    Array.isArray(value["views"]) &&
    value["views"].every(
      (view) => isObject(view) && typeof view["name"] === "string" && typeof view["query"] === "string",
    ),
)

/** The saved views as they were read last. The menu shows them until the desk answers. */
const lastViews = defineKind<readonly [], SavedViews>({
  name: "views",
  schema: viewsSchema,
  keptDays: 90,
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

/** The views that the person has saved, in their order. Until the desk answers, these are the views of its last answer. */
export function useSavedViews(): readonly SavedView[] {
  const { data } = useQuery(viewsOptions)
  return (data ?? lastViews().read())?.views ?? NONE
}
