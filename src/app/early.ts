/**
 * Runs before the rest of the app has arrived, as a small file of its own: sends the reads of the first page and fetches the
 * page's code, so that the first rows come with the first paint.
 */
import { startEarlyRead } from "./client/early-reads.ts"
import { pageOf, pages } from "./pages.ts"

const { pathname, search } = location
const path = pathname.replace(/\/$/, "")
const page = pageOf(path)

startEarlyRead("/desk/session")
// Any other order or filter is read by the page itself.
if (path === "" || path === "/work") {
  if (search === "?status=done") startEarlyRead("/api/v1/work?status=done")
  else if (/^(\?status=(working|needs_you|paused))?$/.test(search)) {
    startEarlyRead(`/desk/work${search}`, { "cache-control": "no-cache" })
  }
}
if (page === "needsYou" || page === "approvals") void readWaiting()
if (page !== undefined) void pages[page]()

/** Another tab may know what waits already. It then tells this one. */
async function readWaiting(): Promise<void> {
  const { held = [] } = await navigator.locks.query()
  if (!held.some(({ name }) => name?.endsWith("/waiting"))) startEarlyRead("/desk/waiting")
}
