/**
 * Runs before the rest of the app has arrived, as a small file of its own: sends the reads of the first page and fetches the
 * page's code, so that the first rows come with the first paint.
 */
import { startEarlyRead } from "./client/early-reads.ts"
import { pageOf, pages } from "./pages.ts"

const { pathname, search } = location
const path = pathname.replace(/\/$/, "")
const page = pageOf(path)

// Another order or filter is read by the page itself.
if (/^(\/work)?$/.test(path) && search === "") startEarlyRead("/desk/work?", { "cache-control": "no-cache" })
if (page === "/needs-you" || page === "/approvals") void readWaiting()
if (page !== undefined) void pages[page]()

/** Another tab may know what waits already. It then tells this one. */
async function readWaiting(): Promise<void> {
  const { held = [] } = await navigator.locks.query()
  if (!held.some(({ name }) => name?.endsWith("/waiting"))) startEarlyRead("/desk/waiting")
}
