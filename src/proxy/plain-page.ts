import type { RequestContext } from "./request-context.ts"
import { apiAnswer } from "./security-headers.ts"
import { send } from "./send.ts"

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** A text as HTML, for an element or for an attribute in double quotes. */
export const escapeHtml = (text: string) => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character)

/**
 * Sends a page without script and style, for a browser that cannot have the app.
 *
 * @param content HTML, in which every text from outside is escaped
 */
export function sendPlainPage(
  context: RequestContext,
  page: { readonly status: number; readonly title: string; readonly content: string },
): void {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(page.title)} · Workdesk</title>
<h1>${escapeHtml(page.title)}</h1>
${page.content}
<p>Request ID: <code>${escapeHtml(context.requestId)}</code></p>
</html>
`
  const headers = { ...apiAnswer, "Content-Type": "text/html; charset=utf-8" }
  send(context, { status: page.status, headers, body: Buffer.from(html) })
}
