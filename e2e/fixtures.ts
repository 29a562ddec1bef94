import { setTimeout as sleep } from "node:timers/promises"
import { AxeBuilder } from "@axe-core/playwright"
import { test as base, type BrowserContext, expect, type Page, type Response } from "@playwright/test"
import type { CreateInputUploadRequest, CreateWorkRequest, Work } from "../src/contract/resources.ts"
import type { ArtifactUpstream } from "./artifact-upstream.ts"
import type { EventUpstream } from "./event-upstream.ts"
import type { Relay } from "./relay.ts"
import { type Desk, type DeskOptions, startDesk, type UpstreamKind } from "./start-desk.ts"

type Fixtures = {
  /** How this test's desk is started: `test.use({ deskOptions: { … } })`. */
  deskOptions: DeskOptions
  /** This test's own, empty desk. Relative addresses in `page.goto` lead to it. */
  desk: Desk
  /** The relay between the desk and the service, which fails as the test asks. */
  relay: Relay
  /** With `upstream: "events"`: the upstream whose event stream the test writes. */
  eventUpstream: EventUpstream
  /** With `upstream: "artifacts"`: the upstream whose results the test makes. */
  artifactUpstream: ArtifactUpstream
  /** Console errors and uncaught exceptions of every page in every context. A test removes those that it expects. */
  complaints: string[]
}

/**
 * Every test has its own desk. A test fails if a page logged an error that the test has not removed from `complaints`, or if the desk's token
 * appeared in anything that the desk logged or that reached a page.
 */
export const test = base.extend<Fixtures>({
  deskOptions: [{}, { option: true }],
  desk: async ({ deskOptions }, provide) => {
    const desk = await startDesk(deskOptions)
    await provide(desk)
    expect(desk.serverLog()).not.toContain(desk.token)
    await desk.stop()
  },
  relay: ({ desk }, provide) => provide(required(desk.relay, "service")),
  eventUpstream: ({ desk }, provide) => provide(required(desk.events, "events")),
  artifactUpstream: ({ desk }, provide) => provide(required(desk.artifacts, "artifacts")),
  baseURL: async ({ desk }, provide) => provide(desk.url),
  complaints: [
    async ({ browser, context, desk }, provide) => {
      const complaints: string[] = []
      const answers: Promise<void>[] = []
      // The browser may report the same bytes twice.
      const leaks = new Set<string>()
      const check = (received: string, where: string) => {
        if (!received.includes(desk.token) || leaks.has(where)) return
        leaks.add(where)
        complaints.push(`the token reached the page: ${where}`)
      }
      const listen = (each: BrowserContext) => {
        each.on("response", (response) => {
          check(JSON.stringify(response.headers()), response.url())
          answers.push(readText(response).then((text) => check(text, response.url())))
        })
        each.on("page", (page) => void followStreams(page, check).catch(() => {}))
        each.on("weberror", (webError) => complaints.push(String(webError.error())))
        each.on("console", (message) => {
          // The browser itself logs a refused request. The tests check what the page itself says about the refusal.
          if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
            complaints.push(message.text())
        })
      }
      listen(context)
      browser.on("context", listen)
      await provide(complaints)
      browser.off("context", listen)
      // An answer that hangs on purpose never ends.
      await Promise.race([Promise.all(answers), sleep(HANGING_MS)])
      expect(complaints).toEqual([])
    },
    { auto: true },
  ],
})

function required<Part>(part: Part | undefined, kind: UpstreamKind): Part {
  if (part === undefined) throw new Error(`This test needs test.use({ deskOptions: { upstream: "${kind}" } })`)
  return part
}

// The files of the build that this worker has read: a name that carries its content's hash is never another file.
const readAssets = new Set<string>()

const HANGING_MS = 1000

/** Checks the bytes of streams and downloads as they arrive. The token may be split between two pieces. */
async function followStreams(page: Page, check: (text: string, where: string) => void): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const pieces = new Map<string, { readonly url: string; text: string }>()
  const checkPiece = (requestId: string, data: string | undefined) => {
    const piece = pieces.get(requestId)
    if (piece === undefined || data === undefined) return
    const text = piece.text + Buffer.from(data, "base64").toString("latin1")
    check(text, piece.url)
    piece.text = text.slice(-KEPT_CHARACTERS)
  }
  session.on("Network.dataReceived", ({ requestId, data }) => checkPiece(requestId, data))
  session.on("Network.responseReceived", ({ requestId, response: { url, mimeType } }) => {
    if (!/event-stream|octet-stream/.test(mimeType)) return
    pieces.set(requestId, { url, text: "" })
    void session
      .send("Network.streamResourceContent", { requestId })
      .then(({ bufferedData }) => checkPiece(requestId, bufferedData))
      .catch(async () => {
        // The stream has already ended.
        const { body, base64Encoded } = await session.send("Network.getResponseBody", { requestId })
        checkPiece(requestId, base64Encoded ? body : Buffer.from(body).toString("base64"))
      })
      // The page may have closed meanwhile.
      .catch(() => {})
  })
  await session.send("Network.enable")
}

/** Longer than a token. */
const KEPT_CHARACTERS = 200

/** The text of an answer that ends; empty if the page cancelled it. `followStreams` checks streams and downloads. */
async function readText(response: Response): Promise<string> {
  if (!/json|html|javascript|css|svg/.test(response.headers()["content-type"] ?? "")) return ""
  const { pathname } = new URL(response.url())
  if (readAssets.has(pathname)) return ""
  const text = await response.text().catch(() => "")
  if (pathname.startsWith("/assets/") && text !== "") readAssets.add(pathname)
  return text
}

export { expect }

/** Creates Work through the API itself. */
export function createWork(desk: Desk, request: Partial<CreateWorkRequest> = {}): Promise<Work> {
  return desk.owner.delegate({ colleague_id: "analyst", objective: "Profile the inputs", ...request })
}

/** Uploads a text through the API itself, waits for its scan and returns its id. */
export function uploadInput(
  desk: Desk,
  name: string,
  content: string,
  media_type: CreateInputUploadRequest["media_type"] = "text/csv",
): Promise<string> {
  return desk.owner.upload({ name, media_type, content })
}

/** Expects that axe finds no violation of WCAG 2.2 AA on the page. */
export function expectAccessible(page: Page): Promise<void> {
  return expectNoViolation(page, axeOf(page).withTags(["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]))
}

/** Like `expectAccessible` in the light theme. In the dark theme only the contrast is checked, because axe sees no other difference. */
export async function expectAccessibleInLightAndDark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: "light" })
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: "dark" })
  await expectNoViolation(page, axeOf(page).withRules("color-contrast"))
}

/** Axe without selectors and passed elements, which takes a third of the processor time. */
function axeOf(page: Page): AxeBuilder {
  return new AxeBuilder({ page }).options({ resultTypes: ["violations"], selectors: false })
}

async function expectNoViolation(page: Page, axe: AxeBuilder): Promise<void> {
  // Without legacy mode axe opens a second page at each run, which only frames of other origins need.
  axe.setLegacyMode(page.frames().length === 1)
  const { violations } = await axe.analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`)).toEqual([])
}

/** Makes the browser of a page report that it saves data, from the next navigation on. Then the app loads no code ahead. */
export async function savingData(page: Page): Promise<void> {
  await page.addInitScript(() => Object.defineProperty(navigator, "connection", { value: { saveData: true } }))
}
