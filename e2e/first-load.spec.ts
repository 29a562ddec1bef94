import type { Page, Request } from "@playwright/test"
import { createWork, expect, savingData, test } from "./fixtures.ts"
import type { Desk } from "./start-desk.ts"

/** Bytes over the wire (brotli). What the first paint does not need is loaded later. */
const JAVASCRIPT_BYTES = 108_000
const CSS_BYTES = 8_000

test("the first route loads at most 108 kB of JavaScript and 8 kB of CSS", async ({ page, desk }) => {
  // A second answer within the first load would bring the code that reads changes, which the first paint does not need.
  await expect
    .poll(async () => fetch(`${desk.url}/desk/waiting`).then((answer) => answer.text()))
    .toContain('"complete":true')
  const sizes = { js: 0, css: 0 }
  const uncompressed: string[] = []
  page.on("response", async (response) => {
    const kind = /\.(js|css)$/.exec(new URL(response.url()).pathname)?.[1]
    if (kind !== "js" && kind !== "css") return
    if (response.headers()["content-encoding"] !== "br") uncompressed.push(response.url())
    sizes[kind] += Number(response.headers()["content-length"])
  })
  // The page sends its first held request when it has read everything that it shows.
  const isLoaded = page.waitForRequest(/\/desk\/waiting\?wait=/)
  await page.goto("/work")
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
  await isLoaded

  expect(uncompressed).toEqual([])
  expect(sizes.js).toBeGreaterThan(0)
  expect(sizes.css).toBeGreaterThan(0)
  expect(sizes.js).toBeLessThanOrEqual(JAVASCRIPT_BYTES)
  expect(sizes.css).toBeLessThanOrEqual(CSS_BYTES)
})

test("every other page brings its own code when it is first visited, where the browser saves data", async ({
  page,
}) => {
  const loaded: string[] = []
  page.on("response", (response) => {
    const { pathname } = new URL(response.url())
    if (pathname.endsWith(".js")) loaded.push(pathname)
  })
  await savingData(page)
  await page.clock.install()
  await page.goto("/work")
  // A browser that saves data loads nothing ahead.
  const ahead = page.waitForResponse(/\/load-ahead-/)
  await page.clock.fastForward(11_000)
  await ahead
  const pages = [
    ["Overview", /\/overview-page-/],
    ["Approvals", /\/inbox-/],
    ["New Work", /\/new-work-page-/],
    ["Record", /\/record-page-/],
  ] as const
  for (const [name, code] of pages) {
    expect(loaded.filter((path) => code.test(path))).toEqual([])
    await page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link", { name, exact: name !== "Approvals" })
      .click()
    await expect(page.getByRole("heading", { level: 1, name })).toBeVisible()
    expect(
      loaded.filter((path) => code.test(path)),
      `${name} loads code of its own`,
    ).toHaveLength(1)
  }
})

test("the first render has the rows where they arrived before the app", async ({ page, desk }) => {
  await desk.owner.delegate({ colleague_id: "analyst", objective: "Count the penguins" })
  await holdApp(page, readsOfList(page))
  await page.addInitScript(() => {
    new MutationObserver(() => {
      // The button is busy while the list is read again.
      if (document.querySelector("[aria-busy=true]:not(button)") !== null) console.error("a placeholder was shown")
    }).observe(document, { subtree: true, childList: true })
  })
  await page.goto("/work")
  await expect(page.getByRole("main").getByRole("listitem")).toHaveCount(1)
})

test("no format of dates is made before the first rows, because the first format makes the browser load its languages", async ({
  page,
  desk,
}) => {
  await createWork(desk)
  await holdApp(page, readsOfList(page))
  await page.addInitScript(() => {
    Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, {
      construct: (format, options) => {
        if (document.querySelector("[data-row]") === null) console.error("a format was made before the first row")
        return Reflect.construct(format, options)
      },
    })
  })
  await page.goto("/work")
  await expect(page.getByRole("main").getByRole("listitem")).toHaveCount(1)
})

test("the browser fetches a page's code and its reads while the app is still loading", async ({ page }) => {
  const early = Promise.all([
    page.waitForRequest(/\/assets\/inbox-.*\.js$/),
    page.waitForRequest(/\/assets\/inbox-.*\.css$/),
    page.waitForRequest(isFor("/desk/session")),
    page.waitForRequest(isFor("/desk/waiting")),
  ])
  await holdApp(page, early)
  const requested: string[] = []
  page.on("request", (request) => requested.push(new URL(request.url()).pathname))
  const later = page.waitForRequest(/\/desk\/waiting\?wait=/)
  await page.goto("/approvals")
  await expect(page.getByRole("heading", { level: 1, name: "Approvals" })).toBeVisible()
  await later
  expect(requested.filter((path) => /inbox-.*\.js$|\/desk\/session$/.test(path))).toHaveLength(2)
})

test("a preloaded list is read again: new Work is a row, and done Work that was loaded below stays", async ({
  page,
  desk,
}) => {
  const done = await createWork(desk, { colleague_id: "editor", title: "Finished" })
  await desk.owner.answer(done.id, "Finish")
  await desk.owner.waitForStatus(done.id, "done")
  await createAtService(desk, "Count the penguins")
  await holdApp(page, readsOfList(page))
  const { promise: mayRead, resolve: readNow } = Promise.withResolvers<void>()
  await page.route("**/desk/work?", async (route) => {
    if (isFresh(route.request())) await mayRead
    await route.continue()
  })
  await page.goto("/work")
  const row = page.locator(`[data-row="${done.id}"]`)
  await expect(row).toContainText("Done")
  await row.evaluate((element) => element.setAttribute("data-kept", ""))
  await createAtService(desk, "Count the whales")
  readNow()
  await expect(page.getByRole("main").getByRole("listitem")).toHaveCount(3)
  await expect(row).toHaveAttribute("data-kept")
})

/** Keeps the app's code from the page until `until` has happened. */
async function holdApp(page: Page, until: Promise<unknown>): Promise<void> {
  await page.route(/\/assets\/index-.*\.js$/, async (route) => {
    await until
    await route.continue()
  })
}

/** Resolves when the answers to the first reads of the list are here. */
const readsOfList = (page: Page) =>
  Promise.all(["/desk/session", "/desk/work?"].map((path) => page.waitForEvent("requestfinished", isFor(path))))

/** Creates Work without the desk. */
async function createAtService(desk: Desk, objective: string): Promise<void> {
  const headers = {
    authorization: `Bearer ${desk.token}`,
    "content-type": "application/json",
    "idempotency-key": crypto.randomUUID(),
  }
  const body = JSON.stringify({ colleague_id: "analyst", objective })
  const { status } = await fetch(`${desk.serviceUrl}/api/v1/work`, { method: "POST", headers, body })
  expect(status).toBe(201)
}

/** Whether a request asks for a list that the desk reads after the request. */
const isFresh = (request: Request) => request.headers()["cache-control"] === "no-cache"

/** Whether a request is for the path and query of `address`. */
const isFor = (address: string) => (request: Request) => request.url().endsWith(address)
