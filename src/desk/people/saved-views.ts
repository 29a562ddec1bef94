/** A person's saved views of the list of Work and of the inboxes: `GET` and `PUT /desk/views`. */
import { hash } from "node:crypto"
import * as v from "valibot"
import { type SavedViews, VIEW_NAME_MAX } from "../../contract/desk-people.ts"
import type { Database, Reader } from "../store/database.ts"
import { upsert } from "../store/tables.ts"
import { refusal, versionRequired } from "../../platform/http/refusals.ts"
import { Refused } from "../../platform/http/send.ts"
import { needsChange, type Tagged } from "../../platform/http/tagged.ts"
import { viewsStale } from "./people-refusals.ts"

const MAX_VIEWS = 100
const MAX_QUERY = 2_000

// Other members are ignored, so that a client can send back the answer to its GET.
const savedViews = v.object({
  views: v.pipe(
    v.array(
      v.object({
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
  `The body must be {"views": [{"name", "query"}]}: at most ${MAX_VIEWS} views, with different names of 1 to ${VIEW_NAME_MAX} characters and queries of at most ${MAX_QUERY}.`,
)

const CHANGE_REFUSALS = { missing: versionRequired, stale: viewsStale }

/** Replaces the person's views. `ifMatch` must be the ETag of the stored views, unless they are the same. @throws Refused, StoreUnavailableError */
export async function saveViews(
  database: Database,
  personId: string,
  ifMatch: string | undefined,
  body: Buffer,
): Promise<Tagged<SavedViews>> {
  const { success, output: views } = v.safeParse(savedViewsText, body.toString("utf8"))
  if (!success) throw new Refused(viewsInvalid)
  return database.transaction("views", async (statements) => {
    const { etag } = await readViews(statements, personId)
    const next = tag(views)
    if (needsChange(ifMatch, { etag, isApplied: etag === next.etag }, CHANGE_REFUSALS)) {
      await upsert(statements, "saved_views", { key: ["personId"] }, { personId, views: JSON.stringify(views) })
    }
    return next
  })
}

/** The person's views in their saved order. Empty for a person who has saved none. @throws StoreUnavailableError */
export async function readViews({ read }: Reader, personId: string): Promise<Tagged<SavedViews>> {
  const [row] = await read("SELECT views FROM saved_views WHERE person_id = ?", personId)
  const { success, output: views } = v.safeParse(savedViewsText, row?.["views"])
  return tag(success ? views : { views: [] })
}

function tag(document: SavedViews): Tagged<SavedViews> {
  return { document, etag: `"${hash("sha256", JSON.stringify(document), "base64url")}"` }
}
