/** A person's saved views of the list: `GET` and `PUT /desk/views`. */
import { hash } from "node:crypto"
import * as v from "valibot"
import { type SavedViews, VIEW_NAME_MAX } from "../contract/desk-people.ts"
import type { Refusal } from "../http/refusal.ts"
import { type Database, orRefusal, type Reader } from "../store/database.ts"
import { upsert } from "../store/tables.ts"
import { refusal, versionRequired } from "../http/refusals.ts"
import { refuseChange, type Tagged } from "../http/tagged.ts"
import { viewsStale } from "./people-refusals.ts"

const MAX_VIEWS = 100
const MAX_QUERY = 2_000

const savedViews = v.strictObject({
  views: v.pipe(
    v.array(
      v.strictObject({
        name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(VIEW_NAME_MAX), v.regex(/^\P{Cc}+$/u)),
        query: v.pipe(v.string(), v.maxLength(MAX_QUERY), v.regex(/^\P{Cc}*$/u)),
      }),
    ),
    v.maxLength(MAX_VIEWS),
    v.check((views) => new Set(views.map(({ name }) => name)).size === views.length),
  ),
})

const savedViewsText = v.pipe(v.string(), v.parseJson(), savedViews)

const viewsInvalid = refusal(
  400,
  "PROXY_VIEWS_INVALID",
  `The body must be {"views": [{"name", "query"}]}: at most ${MAX_VIEWS} views, each name once and of 1 to ${VIEW_NAME_MAX} characters, each query of at most ${MAX_QUERY}.`,
)

const CHANGE_REFUSALS = { missing: versionRequired, stale: viewsStale }

/** The person's views in their saved order. Empty for a person who has saved none. */
export async function readViews(database: Database, personId: string): Promise<Tagged<SavedViews> | Refusal> {
  return orRefusal(() => readStored(database, personId))
}

/** Replaces the person's views. `ifMatch` must be the ETag of the stored ones. */
export async function saveViews(
  database: Database,
  personId: string,
  ifMatch: string | undefined,
  body: Buffer,
): Promise<Tagged<SavedViews> | Refusal> {
  const { success, output: views } = v.safeParse(savedViewsText, body.toString("utf8"))
  if (!success) return viewsInvalid
  return orRefusal(() =>
    database.transaction("views", async (statements) => {
      const stored = await readStored(statements, personId)
      const refused = refuseChange(ifMatch, stored.etag, CHANGE_REFUSALS)
      if (refused !== undefined) return refused
      await upsert(statements, "saved_views", { key: ["personId"] }, { personId, views: JSON.stringify(views) })
      return tag(views)
    }),
  )
}

async function readStored({ read }: Reader, personId: string): Promise<Tagged<SavedViews>> {
  const [row] = await read("SELECT views FROM saved_views WHERE person_id = ?", personId)
  const { success, output: views } = v.safeParse(savedViewsText, row?.["views"])
  return tag(success ? views : { views: [] })
}

function tag(document: SavedViews): Tagged<SavedViews> {
  return { document, etag: `"${hash("sha256", JSON.stringify(document), "base64url")}"` }
}
