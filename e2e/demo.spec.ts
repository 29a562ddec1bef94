import { readToTheEnd } from "./inbox-verbs.ts"
import { readTogether } from "./together-verbs.ts"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test as base, expect } from "@playwright/test"
import type { Artifact, ArtifactList, Work, WorkList } from "../src/contract/resources.ts"
import { runCommand } from "../src/commands/testing/run-command.ts"
import { stories } from "../src/demo/stories.ts"
import { startProgram, type Program } from "./program.ts"

/** The demonstration as `npm run demo` makes it, once for this file: filling it is what takes the time. */
const test = base.extend<object, { demo: { folder: string; program: Program } }>({
  demo: [
    async ({ browserName }, provide) => {
      const folder = await mkdtemp(join(tmpdir(), `workdesk-demo-${browserName}-`))
      const demo = { folder, program: await start(folder) }
      await provide(demo)
      await demo.program.stop()
      await rm(folder, { recursive: true, force: true })
    },
    { scope: "worker", timeout: 90_000 },
  ],
  baseURL: async ({ demo }, provide) => provide(demo.program.url),
})

test.describe.configure({ mode: "serial" })

function start(folder: string): Promise<Program> {
  return startProgram("src/commands/demo.ts", { PORT: "0", DATA_DIR: folder })
}

test("has Work in every state when it opens, with ages over three weeks", async ({ request }) => {
  const works: Work[] = ((await (await request.get("/api/v1/work?limit=100")).json()) as WorkList).data
  expect(works).toHaveLength(stories.length)
  expect(new Set(works.map(({ status }) => status))).toEqual(new Set(["working", "needs_you", "paused", "done"]))
  const days = works.map(({ created_at }) => (Date.now() - Date.parse(created_at)) / 86_400_000)
  expect(Math.min(...days)).toBeLessThan(0.1)
  expect(Math.max(...days)).toBeGreaterThan(20)
  expect(works.filter(({ due_at }) => due_at !== undefined && Date.parse(due_at) < Date.now()).length).toBeGreaterThan(
    3,
  )

  const artifacts = await Promise.all(
    works.map(async ({ id }): Promise<Artifact[]> => {
      return ((await (await request.get(`/api/v1/work/${id}/artifacts`)).json()) as ArtifactList).data
    }),
  )
  const seen = (of: (artifact: Artifact) => string | undefined) => new Set(artifacts.flat().map(of))
  expect(seen(({ processing_state }) => processing_state)).toEqual(
    new Set(["available", "processing", "quarantined", "scan_failed", "failed", "expired"]),
  )
  expect(seen(({ media_type }) => media_type)).toEqual(
    new Set(["image/svg+xml", "text/csv", "text/markdown", "text/plain"]),
  )
})

test("the presenter's two minutes", async ({ page, demo }) => {
  await test.step("the desk: what waits, what runs, what is done", async () => {
    await page.goto("/work")
    await expect(page.getByRole("link", { name: /Reconcile October supplier invoices/ })).toBeVisible()
    await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Needs You" })).toContainText(
      /\d/,
    )
  })

  await test.step("a question about this very file is answered, and the feed goes on by itself", async () => {
    await page.getByRole("link", { name: /Reconcile October supplier invoices/ }).click()
    await expect(page.getByRole("heading", { level: 1, name: "Reconcile October supplier invoices" })).toBeVisible()
    const needsYou = page.getByRole("region", { name: "Needs You" })
    await expect(needsYou).toContainText("142 rows and 7 columns")
    await expect(page.getByRole("region", { name: "Activity" }).getByRole("status")).toHaveText(/^Live/)
    await needsYou.getByRole("textbox", { name: "Your answer" }).fill("By supplier, please")
    await needsYou.getByRole("button", { name: "Send answer" }).click()
    await expect(page.getByRole("region", { name: "Activity" }).getByRole("log")).toContainText("Started")
    await page.getByRole("region", { name: "Activity" }).getByRole("link", { name: "Raw" }).click()
    await expect(page.getByRole("region", { name: "Activity" }).getByRole("log")).toContainText(
      "The answer chose “supplier”.",
    )
  })

  await test.step("the letter is read as it would be sent, and approved", async () => {
    const approvals = page.getByRole("region", { name: "Approvals" })
    await expect(approvals).toContainText("accounts@halden.example")
    await expect(approvals).toContainText("Grouped by the values of “supplier”")
    await readToTheEnd(page)
    await approvals.getByRole("button", { name: "Approve" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("textbox", { name: "Comment" }).fill("Go ahead")
    const before = await letters(demo.folder)
    await dialog.getByRole("button", { name: "Confirm approve" }).click()
    await expect(page.getByText(/The summary was sent to accounts@halden\.example/).first()).toBeVisible()
    expect(await letters(demo.folder)).toHaveLength(before.length + 1)
  })

  await test.step("the result is downloaded and checked", async () => {
    const artifacts = page.getByRole("region", { name: "Artifacts" })
    const downloading = page.waitForEvent("download")
    await artifacts.getByRole("button", { name: "Download columns.csv" }).click()
    await downloading
    await expect(artifacts.getByText(/Verified/)).toBeVisible()
  })

  await test.step("a destination that is not what it seems is marked", async () => {
    await page.goto("/approvals")
    await page.getByRole("link", { name: /p.yments@halden\.example/ }).click()
    await expect(page.getByText("Mixed scripts").first()).toBeVisible()
  })
})

test("seven letters are read together, and six of them approved", async ({ page, demo }) => {
  const before = await letters(demo.folder)
  await page.goto("/approvals")
  await page.getByRole("button", { name: /^Read together .*books@/ }).click()
  await expect(page.getByRole("heading", { level: 2, name: "7 alike letters" })).toBeVisible()
  await expect(page.getByRole("region", { name: "First letter" }).locator("mark")).toHaveCount(6)
  await readTogether(page)
  await page.getByRole("button", { name: "Choose all that are seen" }).click()
  await page.getByRole("checkbox", { name: "Choose books@oslo.example" }).click()
  await page.getByRole("button", { name: "Approve 6…" }).click()
  const confirm = page.getByRole("dialog").getByRole("button", { name: "Confirm approve" })
  await expect(confirm).toBeEnabled()
  await confirm.click()
  await expect(page.getByRole("table", { name: "Letters" }).getByText("Approved", { exact: true })).toHaveCount(6)
  await expect.poll(async () => (await letters(demo.folder)).length).toBe(before.length + 6)
  await page.goto("/record")
  await expect(page.getByText(/with 5 others/).first()).toBeVisible()
})

test("a result that cannot be had says so", async ({ page, request }) => {
  const { data: works } = (await (await request.get("/api/v1/work?limit=100")).json()) as WorkList
  for (const [title, path, word] of [
    ["Review the invoices", "review.md", "Being scanned"],
    ["Weather, with one result in quarantine", "profile.md", "Quarantined"],
    ["Penguins, a result whose scan failed", "profile.md", "Scan failed"],
    ["Release notes, a result that failed", "review.md", "Failed"],
    ["Stock count, a result that has expired", "profile.md", "Expired"],
  ] as const) {
    await page.goto(`/work/${works.find((work) => work.title === title)?.id ?? title}`)
    const result = page.getByRole("region", { name: "Artifacts" }).getByRole("listitem").filter({ hasText: path })
    await expect(result.getByText(word, { exact: true })).toBeVisible()
    await expect(result.getByRole("button", { name: /^Download/ })).toHaveCount(0)
  }
})

test("starts again with its data, and fills nothing twice", async ({ demo, request }) => {
  const before = ((await (await request.get("/api/v1/work?limit=100")).json()) as WorkList).data.map(({ id }) => id)
  await demo.program.stop()
  demo.program = await start(demo.folder)
  expect(demo.program.output()).not.toContain("Filled")
  const answer = await request.get(`${demo.program.url}/api/v1/work?limit=100`)
  expect(((await answer.json()) as WorkList).data.map(({ id }) => id)).toEqual(before)
})

function letters(folder: string): Promise<string[]> {
  return readdir(join(folder, "demo", "service", "outbox"))
}

test("the record's heads are kept in a file, and the record agrees with them", async ({ demo }) => {
  const dataFolder = join(demo.folder, "demo")
  const heads = join(dataFolder, "kept-heads.txt")
  await expect.poll(() => readFile(heads, "utf8")).toContain("— workdesk-local ")
  const { code, stdout } = await runCommand("record", { DATA_DIR: dataFolder }, ["verify", "--heads", heads])
  expect(stdout).toContain("has changed since that row's head was signed")
  expect(code).toBe(0)
})
