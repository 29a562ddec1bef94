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
if (path === "" || path === "/work") startEarlyRead(`/api/v1/work${/^\?status=\w+$/.test(search) ? search : ""}`)
if (page === "needsYou" || page === "approvals") void readWaiting()
if (page !== undefined) void pages[page]()

/** Another tab may know what waits already. It then tells this one. */
async function readWaiting(): Promise<void> {
  const { held = [] } = await navigator.locks.query()
  if (!held.some(({ name }) => name?.endsWith("/waiting"))) startEarlyRead("/desk/waiting")
}
