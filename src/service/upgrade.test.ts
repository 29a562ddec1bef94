import { cp, readFile, readdir } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, onTestFinished, test } from "vitest"
import { member, textOf } from "./testing/client.ts"
import { resolveOpen } from "./testing/crash-load.ts"
import { execute, ALICE, serviceForTest, folderForTest } from "./testing/test-service.ts"

const RELEASED = join(import.meta.dirname, "testing/released")
const released = await readdir(RELEASED)

type Work = { readonly id: string; readonly title: string; readonly colleague_id: string; readonly status: string }

/** A copy of a released data folder, as its process left it. */
async function copyOf(folder: string): Promise<string> {
  const copy = join(await folderForTest(), "data")
  await cp(join(RELEASED, folder), copy, { recursive: true })
  return copy
}

function query(folder: string, sql: string): readonly Readonly<Record<string, unknown>>[] {
  using database = new DatabaseSync(join(folder, "service.db"), { readOnly: true })
  return database.prepare(sql).all()
}

/**
 * The processes of the folders `at-work` were killed while they worked at many Works at once: some were publishing, and some had results that
 * were being scanned.
 */
test("there are data folders of each released schema, with Work in every state and at every step", async () => {
  expect(released.toSorted()).toEqual(["schema-1", "schema-1-at-work", "schema-2-at-work"])
  const folders = await Promise.all(released.map(copyOf))
  const valuesOf = (sql: string) => new Set(folders.flatMap((folder) => query(folder, sql).map(({ value }) => value)))
  expect(valuesOf("SELECT status AS value FROM work")).toEqual(new Set(["working", "needs_you", "paused", "done"]))
  const lastSteps = "SELECT kind AS value, max(number) FROM step GROUP BY work_id"
  expect(valuesOf(lastSteps)).toEqual(
    new Set(["publish", "ask", "deliver", "scan", "requestApproval", "send", "every", "finish"]),
  )
})

test.each(released)("%s: Work in every state goes on, and each approved letter is sent once", async (folder) => {
  const dataFolder = await copyOf(folder)
  const before = query(dataFolder, "SELECT id, title, colleague_id, status FROM work").map(toWork)
  const service = await serviceForTest({ dataFolder })
  const endless = before.filter(({ colleague_id, status }) => colleague_id === "metronome" || status === "paused")
  const finite = before.filter((work) => !endless.includes(work))
  const statusOf = async (id: string) => textOf((await service.get(`/api/v1/work/${id}`)).body, "status")

  await expect
    .poll(
      async () => {
        const statuses = await Promise.all(finite.map(({ id }) => statusOf(id)))
        for (const [index, status] of statuses.entries())
          if (status !== "done") await resolveOpen(service.url, ALICE, `/api/v1/work/${finite[index]?.id ?? ""}`)
        return statuses.filter((status) => status !== "done")
      },
      { timeout: 25_000, interval: 50 },
    )
    .toEqual([])
  for (const { id, title } of finite) {
    const { body } = await service.get(`/api/v1/work/${id}`)
    expect(member(body, "completion_summary"), title).not.toContain("the colleague failed")
  }
  for (const { id, status } of endless) expect(await statusOf(id)).toBe(status)

  await service.stop()
  // The service asks this question when the steps of the new version differ from the recorded steps.
  expect(query(dataFolder, "SELECT title FROM attention WHERE title LIKE '%Start over?'")).toEqual([])
  const sent = query(
    dataFolder,
    "SELECT json_extract(payload, '$.action_id') AS action FROM event WHERE type = 'letter.sent'",
  )
  const approved = query(dataFolder, "SELECT action_id AS action FROM approval WHERE status = 'approved'")
  const inOrder = (rows: readonly Readonly<Record<string, unknown>>[]) =>
    rows.map(({ action }) => String(action)).toSorted()
  expect(inOrder(sent)).toEqual(inOrder(approved))
  expect((await readdir(join(dataFolder, "outbox"))).toSorted()).toEqual(inOrder(approved).map((id) => `${id}.txt`))
})

test.each(released)("%s: each letter is sent as it was approved", async (folder) => {
  const dataFolder = await copyOf(folder)
  const service = await serviceForTest({ dataFolder })
  const approved = query(dataFolder, "SELECT action_id, body FROM approval WHERE status = 'approved'")
  await expect.poll(async () => (await readdir(join(dataFolder, "outbox"))).length).toBe(approved.length)
  for (const { action_id, body } of approved) {
    const letter = await readFile(join(dataFolder, "outbox", `${String(action_id)}.txt`), "utf8")
    expect(letter.endsWith(`\n\n${String(body)}\n`)).toBe(true)
  }
  await service.stop()
})

test.each(released)("%s: uploads keep their states", async (folder) => {
  const dataFolder = await copyOf(folder)
  makeUploadsNew(dataFolder)
  const uploads = query(dataFolder, "SELECT id, processing_state, work_id, expires_at FROM upload")
  const service = await serviceForTest({ dataFolder })
  onTestFinished(() => service.stop())
  for (const { id, processing_state, work_id, expires_at } of uploads) {
    const { body } = await service.get(`/api/v1/uploads/${String(id)}`)
    const shown = textOf(body, "processing_state")
    if (work_id !== null) expect(textOf(body, "status")).toBe("consumed")
    else if (Number(expires_at) < Date.now()) expect(shown).toBe("expired")
    // A scan that was under way ends.
    else expect([processing_state, "available"]).toContain(shown)
  }
})

/**
 * Has every upload expire tomorrow, or a minute ago if it lived for less than a second. The released folders grow old, and a service removes an
 * upload a day after it expired.
 */
function makeUploadsNew(folder: string): void {
  execute(
    folder,
    `UPDATE upload SET expires_at = ${Date.now()} + iif(expires_at - created_at < 1000, -60000, 86400000)`,
  )
}

function toWork(row: Readonly<Record<string, unknown>>): Work {
  const text = (name: string) => String(row[name])
  return { id: text("id"), title: text("title"), colleague_id: text("colleague_id"), status: text("status") }
}
