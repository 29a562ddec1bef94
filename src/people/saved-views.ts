/** A person's saved views of the list: `GET` and `PUT /desk/views`. */
import { hash } from "node:crypto"
import * as v from "valibot"
import { type SavedViews, VIEW_NAME_MAX } from "../contract/desk-people.ts"
import type { Refusal } from "../http/refusal.ts"
import { type Database, orRefusal, type Reader } from "../store/database.ts"
import { upsert } from "../store/tables.ts"
import { versionRequired } from "../http/refusals.ts"
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

const viewsInvalid: Refusal = {
  code: "PROXY_VIEWS_INVALID",
  status: 400,
  title: "Bad Request",
  detail: `The body must be {"views": [{"name", "query"}]}: at most ${MAX_VIEWS} views, each name once and of 1 to ${VIEW_NAME_MAX} characters, each query of at most ${MAX_QUERY}.`,
  retryable: false,
}

/** Views with the strong ETag of their content. */
export type TaggedViews = { readonly views: SavedViews; readonly etag: string }

/** The person's views in their saved order. Empty for a person who has saved none. */
export async function readViews(database: Database, personId: string): Promise<TaggedViews | Refusal> {
  return orRefusal(() => readStored(database, personId))
}

/** Replaces the person's views. `ifMatch` must be the ETag of the stored ones, so that two tabs do not overwrite each other's views. */
export async function saveViews(
  database: Database,
  personId: string,
  ifMatch: string | undefined,
  body: Buffer,
): Promise<TaggedViews | Refusal> {
  if (ifMatch === undefined) return versionRequired
  const views = parse(body.toString("utf8"))
  if (views === undefined) return viewsInvalid
  return orRefusal(() =>
    database.transaction("views", async (statements) => {
      const stored = await readStored(statements, personId)
      if (stored.etag !== ifMatch.trim()) return viewsStale
      await upsert(statements, "saved_views", { key: ["personId"] }, { personId, views: JSON.stringify(views) })
      return tag(views)
    }),
  )
}

async function readStored({ read }: Reader, personId: string): Promise<TaggedViews> {
  const [row] = await read("SELECT views FROM saved_views WHERE person_id = ?", personId)
  return tag((row && parse(String(row["views"]))) ?? { views: [] })
}

function tag(views: SavedViews): TaggedViews {
  return { views, etag: `"${hash("sha256", JSON.stringify(views), "base64url")}"` }
}

function parse(text: string): SavedViews | undefined {
  try {
    const found = v.safeParse(savedViews, JSON.parse(text))
    return found.success ? found.output : undefined
  } catch {
    return undefined
  }
}
