/**
 * Two weeks of a busy desk: how large the data folder of the embedded service is and how long a start takes, with and without
 * RETENTION_DAYS. Colleagues do some Works of each kind. The rows of these Works are then copied, because 4,200 Works would take minutes.
 */
import { copyFileSync, globSync, statSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { startService } from "../../src/service/embedded-service.ts"
import type { RunningService } from "../../src/service/embedded-service.ts"
import { Owner } from "../../src/demo/owner.ts"
import { delegate } from "./bench-work.ts"
import type { WorkInput } from "./bench-work.ts"

const DAYS = 14
const WORKS_A_DAY = 300
const RETENTION_DAYS = 7
const DAY_MS = 86_400_000
/** Idempotency records are kept for three days. */
const RECORDS_DAYS = 3
const STARTS = 3
const TOKEN = "bench"

const folder = await mkdtemp(join(tmpdir(), "workdesk-bench-"))
const dataFolder = join(folder, "data")
const configFile = join(folder, "config.json")
await writeFile(configFile, JSON.stringify({ pace: 0, limits: { readPerMinute: 1e9, writePerMinute: 1e9 } }))

try {
  const models = await makeModels()
  copyWorks(models)
  console.log(`\n| ${DAYS} days with ${WORKS_A_DAY} Works each | folder, MB | start until the first list, ms |`)
  console.log("|---|---:|---:|")
  await report("nothing is removed", undefined)
  const removing = await removeOld()
  await report(`RETENTION_DAYS=${RETENTION_DAYS}`, RETENTION_DAYS)
  console.log(`\nThe first start with RETENTION_DAYS=${RETENTION_DAYS} removed in the background for ${removing} s.`)
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Lets colleagues finish some Works with inputs of 2 to 40 kB, and returns the ids. The analyst does two of three. */
async function makeModels(): Promise<string[]> {
  const { owner, service } = await start(undefined)
  const sizes = [50, 100, 200, 400, 800, 1000]
  const inputs = sizes.flatMap((lines) => [tableOf(lines), tableOf(lines + 7), textOf(lines)])
  const works = await Promise.all(
    inputs.map(async (input) => {
      const work = await delegate(owner, input)
      await owner.answer(work, "the recommended one")
      if (input.colleague === "analyst") await owner.decide(work, { decision: "approve" })
      await owner.waitForStatus(work, "done")
      return work
    }),
  )
  await service.stop()
  return works
}

function tableOf(rows: number): WorkInput {
  const lines = Array.from(
    { length: rows },
    (_, row) => `${row},${"abcdef"[row % 6]},${(row * 37) % 101},2026-11-${(row % 28) + 1}`,
  )
  return { colleague: "analyst", mediaType: "text/csv", content: `number,kind,size,day\n${lines.join("\n")}\n` }
}

function textOf(lines: number): WorkInput {
  const sentence = "The committee met on Tuesday and decided what the the next report should say. "
  const parts = Array.from({ length: lines / 4 }, (_, part) => `## Part ${part}\n\n${sentence.repeat(2)}\n`)
  return { colleague: "editor", mediaType: "text/markdown", content: `# Minutes\n\n${parts.join("\n")}` }
}

/** Copies the rows of the models until every day has its Works. Each copy has ids and times of its own. */
function copyWorks(models: readonly string[]): void {
  const database = new DatabaseSync(join(dataFolder, "service.db"))
  const tables = ["upload", "event", "step", "attention", "approval", "artifact", "work"]
  const copies = new Map(tables.map((table) => [table, database.prepare(copyOf(database, table))]))
  const letters = database.prepare("SELECT action_id FROM approval WHERE work_id = ? AND written_at IS NOT NULL")
  const records = database.prepare(
    `INSERT INTO idempotency SELECT account, operation, key || ?1, input_hash, status, body, etag, location, created_at - ?2
     FROM idempotency WHERE body LIKE '%' || ?3 || '%' AND key NOT LIKE '%.%'`,
  )
  database.exec("BEGIN")
  for (let index = 0; index < DAYS * WORKS_A_DAY; index += 1) {
    const age = Math.round((index * DAY_MS) / WORKS_A_DAY)
    const model = models[index % models.length] ?? ""
    for (const copy of copies.values()) copy.run(`.${index}`, age, model)
    for (const { action_id } of letters.all(model)) copyLetter(String(action_id), `.${index}`)
    if (age < RECORDS_DAYS * DAY_MS) records.run(`.${index}`, age, model)
  }
  database.exec("COMMIT")
  database.close()
}

function copyLetter(actionId: string, suffix: string): void {
  const outbox = join(dataFolder, "outbox")
  copyFileSync(join(outbox, `${actionId}.txt`), join(outbox, `${actionId}${suffix}.txt`))
}

/** A statement that copies the rows of Work ?3: ids get the suffix ?1, and times become ?2 milliseconds older. */
function copyOf(database: DatabaseSync, table: string): string {
  const columns = database
    .prepare("SELECT name FROM pragma_table_info(?)")
    .all(table)
    .map(({ name }) => String(name))
  const kept = columns.filter((column) => column !== "number" || table === "step")
  const values = kept.map((column) => {
    if (/^(?:id|work_id|action_id|source_id)$/.test(column)) return `${column} || ?1`
    return column.endsWith("_at") && column !== "due_at" ? `${column} - ?2` : column
  })
  const owner = table === "work" ? "id" : "work_id"
  return `INSERT INTO ${table} (${kept.join(", ")}) SELECT ${values.join(", ")} FROM ${table} WHERE ${owner} = ?3`
}

async function report(name: string, retentionDays: number | undefined): Promise<void> {
  const times: number[] = []
  for (let turn = 0; turn < STARTS; turn += 1) {
    const begun = performance.now()
    const { owner, service } = await start(retentionDays)
    await owner.client.GET("/api/v1/work")
    times.push(performance.now() - begun)
    await service.stop()
  }
  console.log(`| ${name} | ${megabytes()} | ${Math.min(...times).toFixed(0)} |`)
}

/** Starts with retention and waits until no old Work is left and the file has shrunk. Returns the seconds. */
async function removeOld(): Promise<string> {
  const begun = performance.now()
  const { service } = await start(RETENTION_DAYS)
  const database = new DatabaseSync(join(dataFolder, "service.db"), { readOnly: true })
  const old = database.prepare("SELECT count(*) AS number FROM work WHERE updated_at < ?")
  const unused = database.prepare("SELECT freelist_count AS number FROM pragma_freelist_count")
  const time = Date.now() - RETENTION_DAYS * DAY_MS
  while (Number(old.get(time)?.["number"]) + Number(unused.get()?.["number"]) > 0) await sleep(100)
  database.close()
  await service.stop()
  return ((performance.now() - begun) / 1000).toFixed(1)
}

async function start(retentionDays: number | undefined): Promise<{ owner: Owner; service: RunningService }> {
  const service = await startService({
    host: "127.0.0.1",
    port: 0,
    dataFolder,
    configFile,
    ownCredential: TOKEN,
    registry: new URL("../../src/service/colleagues/registry.ts", import.meta.url).href,
    ...(retentionDays === undefined ? {} : { retentionDays }),
  })
  return { owner: new Owner(service.url, { authorization: `Bearer ${TOKEN}` }), service }
}

function megabytes(): string {
  const files = globSync("**", { cwd: dataFolder, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
  return (bytes / 1e6).toFixed(1)
}
