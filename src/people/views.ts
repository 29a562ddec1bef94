/** A person's saved views of the list: `GET` and `PUT /desk/views`. */
import * as v from "valibot"
import type { SavedViews } from "../contract/desk.ts"
import type { Refusal } from "../contract/refusal.ts"
import { orRefusal } from "./refusals.ts"
import type { Database } from "../store/database.ts"

const MAX_VIEWS = 100
const MAX_NAME = 100
const MAX_QUERY = 2_000

const savedViews = v.strictObject({
  views: v.pipe(
    v.array(
      v.strictObject({
        name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(MAX_NAME), v.regex(/^\P{Cc}+$/u)),
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
  detail: `The body must be {"views": [{"name", "query"}]}: at most ${MAX_VIEWS} views, each name once and of 1 to ${MAX_NAME} characters, each query of at most ${MAX_QUERY}.`,
  retryable: false,
}

/** The person's views in their saved order. Empty for a person who has saved none. */
export async function readViews(database: Database, personId: string): Promise<SavedViews | Refusal> {
  return orRefusal(async () => {
    const [row] = await database.read("SELECT views FROM saved_views WHERE person_id = ?", personId)
    return row === undefined ? { views: [] } : (parse(String(row["views"])) ?? { views: [] })
  })
}

/** Replaces the person's views with those of a request body. Gives the saved views, or a refusal (400) for a bad body. */
export async function saveViews(database: Database, personId: string, body: Buffer): Promise<SavedViews | Refusal> {
  const views = parse(body.toString("utf8"))
  if (views === undefined) return viewsInvalid
  return orRefusal(async () => {
    await database.write(
      `INSERT INTO saved_views (person_id, views) VALUES (?, ?)
       ON CONFLICT (person_id) DO UPDATE SET views = excluded.views`,
      personId,
      JSON.stringify(views),
    )
    return views
  })
}

function parse(text: string): SavedViews | undefined {
  try {
    const found = v.safeParse(savedViews, JSON.parse(text))
    return found.success ? found.output : undefined
  } catch {
    return undefined
  }
}
