/**
 * Runs before the rest of the app has arrived, as a small file of its own: sends the reads of the first page and fetches the
 * page's code, so that the first paint has the first rows.
 */
import { startEarlyRead } from "./client/early-reads.ts"
import { pageOf, pages } from "./pages.ts"

const { pathname, search } = location
const path = pathname.replace(/\/$/, "")
const page = pageOf(path)

startEarlyRead("/desk/session")
// Another order or filter is read by the page itself.
if (/^(\/work)?$/.test(path) && search === "") startEarlyRead("/desk/work?", { "cache-control": "no-cache" })
if (page === "/needs-you" || page === "/approvals") void readWaiting()
if (page !== undefined) void pages[page]()
// The first format of a page makes the browser load its data of dates and numbers, for 13 ms. Here nothing waits for the data.
new Intl.DateTimeFormat().format()
try {
  // The first look into the storage waits for another process of the browser. Here nothing waits for the answer.
  void localStorage.length
} catch {
  // The person has forbidden storage.
}

/** Another tab may know what waits already. It then tells this one. */
async function readWaiting(): Promise<void> {
  const { held = [] } = await navigator.locks.query()
  if (!held.some(({ name }) => name?.endsWith("/waiting"))) startEarlyRead("/desk/waiting")
}
