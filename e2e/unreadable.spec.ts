import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import {
  answerFrom,
  fakeApproval,
  fakeClarification,
  type FakeWork,
  fakeWork,
} from "../src/desk/watcher/testing/simulation.ts"
import { expect, test as base } from "./fixtures.ts"
import { openForOthers, readToTheEnd } from "./inbox-verbs.ts"
import { startDesk } from "./start-desk.ts"

type Upstream = { works: FakeWork[]; artifacts: object[] }

/** A desk whose upstream serves exactly the Works and items that the test writes. */
const test = base.extend<{ upstream: Upstream }>({
  upstream: ({ deskOptions: _options }, provide) => provide({ works: [], artifacts: [] }),
  desk: async ({ upstream }, provide) => {
    const server = createServer((request, response) => {
      const path = request.url ?? ""
      if (path.includes("/events")) {
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
        return
      }
      const { status, body } = path.endsWith("/artifacts")
        ? { status: 200, body: { data: upstream.artifacts } }
        : answerFrom(upstream.works, path.includes("limit=") ? path : path.replace("?", "?limit=50&"))
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const desk = await startDesk({ environment: { WORK_API_URL: `http://127.0.0.1:${port}` } })
    await provide(desk)
    await desk.stop()
    server.closeAllConnections()
    server.close()
  },
})

const nulls = { due_at: null, attention_question: null, completion_summary: null, current_attention_id: null }
const artifact = (id: string, more: object = {}) => ({
  id,
  work_id: "w",
  path: `${id}.csv`,
  media_type: "text/csv",
  size: 3,
  content_hash: "sha256:00",
  version: 1,
  created_at: "2026-11-21T10:00:00Z",
  ...more,
})

test("null in optional members shows the Work, its page and its items as if the members were left out", async ({
  page,
  upstream,
  complaints,
}) => {
  const approvals = [
    fakeApproval("a", { resolved_at: null, resolution_actor: null, resolution_comment: null }),
    fakeApproval("done", { status: "approved", resolved_at: null, resolution_actor: null, resolution_comment: null }),
  ]
  upstream.works = [
    fakeWork("w", 1, { json: nulls, approvals }),
    fakeWork("done", 2, { status: "done", json: nulls }),
    fakeWork("other", 3),
  ]
  upstream.artifacts = [artifact("r", { processing_state: null, failure_code: null })]
  await page.goto("/work")
  const main = page.getByRole("main")
  for (const title of ["Title w", "Title other", "Title done"]) await expect(main.getByText(title)).toBeVisible()
  await page.getByRole("link", { name: /Title w/ }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Title w" })).toBeVisible()
  await expect(page.getByRole("button", { name: "Preview r.csv" })).toBeVisible()
  await expect(page.getByRole("button", { name: "Decline", exact: true })).toBeEnabled()
  await expect(page.getByRole("region", { name: "Result" })).toHaveCount(0)
  expect(complaints).toEqual([])
})

test("a Work that cannot be read says so on its page, with its id, and stops nothing else", async ({
  page,
  upstream,
}) => {
  upstream.works = [
    fakeWork("broken", 1, { json: { objective: undefined }, approvals: [fakeApproval("a")] }),
    fakeWork("nameless", 2, { json: { id: null } }),
    fakeWork("done", 3, { status: "done", json: { title: 5 } }),
    fakeWork("whole", 4),
  ]
  await page.goto("/work")
  const main = page.getByRole("main")
  await expect(main.getByText("Title whole")).toBeVisible()
  await expect(main.getByText("2 can't be read")).toBeVisible()
  const row = page.getByRole("link", { name: "This Work can't be read" })
  await expect(row).toContainText("done")
  await row.click()
  await expect(page.getByRole("heading", { level: 1, name: "This Work can't be read" })).toBeVisible()

  await page.goto("/approvals")
  await expect(main.getByText("2 can't be read")).toBeVisible()
  await page.getByRole("link", { name: "Summary a" }).click()
  await page.locator("[data-pane]").getByRole("link", { name: "This Work can't be read" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "This Work can't be read" })).toBeVisible()
  await expect(page.getByRole("region", { name: "Objective" })).toHaveCount(0)
  await page.getByText("Details").first().click()
  await expect(main.getByText("broken").first()).toBeVisible()
  await expect(page.getByRole("button", { name: "Decline", exact: true })).toBeEnabled()
})

test("an item or a result that cannot be read has a row that says so, and is neither approved nor answered", async ({
  page,
  upstream,
}) => {
  upstream.works = [
    fakeWork("w", 1, {
      status: "needs_you",
      clarificationId: "c",
      approvals: [fakeApproval("a", { body: 7 }), fakeApproval("b")],
      clarifications: [fakeClarification("c", { why_needed: null })],
    }),
  ]
  upstream.artifacts = [artifact("r", { path: null }), artifact("s")]
  await page.goto("/work/w")
  const approvals = page.getByRole("region", { name: "Approvals" })
  const broken = approvals.locator("[data-item=a]")
  await expect(broken.getByRole("heading", { name: "This request can't be read" })).toBeVisible()
  await expect(broken.getByRole("button", { name: "Decline", exact: true })).toBeEnabled()
  await expect(broken.getByRole("button", { name: "Approve", exact: true })).toHaveAttribute("aria-disabled", "true")
  await expect(approvals.locator("[data-item=b]").getByRole("heading", { name: "Summary b" })).toBeVisible()
  const question = page.getByRole("region", { name: "Needs You" })
  await expect(question.getByRole("heading", { name: "This question can't be read" })).toBeVisible()
  await question.getByRole("textbox", { name: "Your answer" }).fill("yes")
  await expect(question.getByRole("button", { name: "Send answer" })).toHaveAttribute("aria-disabled", "true")
  const results = page.getByRole("region", { name: "Artifacts" })
  await expect(results.getByText("This result can't be read")).toBeVisible()
  await expect(results.getByRole("button", { name: "Preview s.csv" })).toBeVisible()
})

test("a letter above 1 MiB can be declined, and is never approved", async ({ page, upstream }) => {
  const body = "x".repeat(1_100_000)
  upstream.works = [
    fakeWork("w", 1, {
      status: "needs_you",
      clarificationId: "c",
      approvals: [fakeApproval("a", { body })],
      clarifications: [fakeClarification("c", { why_needed: body })],
    }),
  ]
  await page.goto("/approvals")
  await openForOthers(page, "This request can't be read")
  const card = page.locator("[data-current]")
  await expect(card.getByText("more than 1 MiB of text").first()).toBeVisible()
  await expect(card.getByRole("button", { name: "Decline", exact: true })).toBeEnabled()
  await readToTheEnd(page)
  const approve = card.getByRole("button", { name: "Approve", exact: true })
  await expect(approve).toHaveAttribute("aria-disabled", "true")
  await approve.click({ force: true })
  await page.keyboard.press("a")
  await expect(page.getByRole("dialog")).toHaveCount(0)
  await page.keyboard.press("d")
  await expect(page.getByRole("dialog").getByRole("button", { name: "Confirm decline" })).toBeEnabled()
  await page.keyboard.press("Escape")

  await page.goto("/needs-you")
  await openForOthers(page, "This question can't be read")
  await page.getByRole("textbox", { name: "Your answer" }).fill("yes")
  await expect(page.getByRole("button", { name: "Send answer" })).toHaveAttribute("aria-disabled", "true")
})

test("a letter shows hidden characters in a row as one mark, and with thousands of marks it is never approved", async ({
  page,
  upstream,
}) => {
  upstream.works = [
    fakeWork("w", 1, {
      approvals: [
        fakeApproval("a", { summary: "A run", body: `Dear${"\u200B".repeat(20_000)}reader` }),
        fakeApproval("b", { summary: "Many marks", body: "\u200B\u2060".repeat(10_000) }),
      ],
    }),
  ]
  await page.goto("/approvals")
  await page.getByRole("link", { name: "A run" }).click()
  const card = page.locator("[data-current]")
  await expect(card.getByText("20,000 × U+200B", { exact: true })).toBeVisible()
  const approve = card.getByRole("button", { name: "Approve", exact: true })
  await expect(approve).toBeEnabled()

  await page.getByRole("link", { name: "Many marks" }).click()
  await expect(card.getByRole("heading", { name: "Many marks" })).toBeVisible()
  await expect(card.getByText("more than a thousand hidden characters").first()).toBeVisible()
  await expect(card.getByRole("button", { name: "Decline", exact: true })).toBeEnabled()
  await expect(approve).toHaveAttribute("aria-disabled", "true")
  await page.keyboard.press("a")
  await expect(page.getByRole("dialog")).toHaveCount(0)
})
