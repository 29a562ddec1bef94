/** Kills the service again and again under load. */
import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { expect } from "vitest"
import { openStore } from "../store/open-service-store.ts"
import { integer, text } from "../store/sqlite-row.ts"
import type { Store } from "../store/store.ts"
import { CrashLoad, finishAll } from "./crash-load.ts"
import { ALICE, credentials, folderForTest } from "./test-service.ts"
import { ServiceProcess } from "./service-process.ts"

const CLIENTS = 6

const LIMITS = { readPerMinute: 1e9, writePerMinute: 1e9, activeWork: 1e6 }

/** The contradictions that the database may never have. Each query finds the rows of one of them. */
const CONTRADICTIONS: Readonly<Record<string, string>> = {
  "a sequence with gaps or doubles": `
    SELECT work_id FROM event GROUP BY work_id HAVING min(sequence) <> 1 OR max(sequence) <> count(*)`,
  "Work without its first event": `
    SELECT id FROM work WHERE NOT EXISTS
      (SELECT 1 FROM event WHERE work_id = work.id AND sequence = 1 AND type = 'work.created')`,
  "Work whose version is not one more than its changes": `
    SELECT id FROM work WHERE version <> 1 + (SELECT count(*) FROM event
      WHERE work_id = work.id AND type IN ('work.working', 'work.needs_you', 'work.paused', 'work.done'))`,
  "Work whose status is not that of its last event": `
    SELECT id FROM work WHERE 'work.' || status <> coalesce((SELECT type FROM event WHERE work_id = work.id
      AND type IN ('work.working', 'work.needs_you', 'work.paused', 'work.done') ORDER BY sequence DESC LIMIT 1), 'work.working')`,
  "Work that needs nobody and says so, or the other way round": `
    SELECT id FROM work WHERE (status = 'needs_you') <> (
      EXISTS (SELECT 1 FROM attention WHERE work_id = work.id AND status = 'open') OR
      EXISTS (SELECT 1 FROM approval WHERE work_id = work.id AND status = 'pending'))`,
  "an upload that was consumed without an event": `
    SELECT id FROM upload WHERE work_id IS NOT NULL AND NOT EXISTS
      (SELECT 1 FROM event WHERE work_id = upload.work_id AND type = 'input.consumed')`,
  "a clarification or approval asked twice": `
    SELECT work_id FROM attention GROUP BY work_id HAVING count(*) > 1
    UNION ALL SELECT work_id FROM approval GROUP BY work_id HAVING count(*) > 1`,
  "a question without its event, or its step": `
    SELECT id FROM attention WHERE (SELECT count(*) FROM event WHERE work_id = attention.work_id AND type = 'attention.opened') <> 1
      OR (SELECT count(*) FROM step WHERE work_id = attention.work_id AND kind = 'ask') <> 1`,
  "a result that was delivered twice, or without its event": `
    SELECT work_id FROM artifact GROUP BY work_id, path HAVING count(*) > 1
    UNION ALL SELECT id FROM work WHERE (SELECT count(*) FROM artifact WHERE work_id = work.id)
      <> (SELECT count(*) FROM event WHERE work_id = work.id AND type = 'artifact.created')`,
  "an answer without its key, its event or its effect": `
    SELECT id FROM attention WHERE status = 'resolved' AND
      (SELECT count(*) FROM event WHERE work_id = attention.work_id AND type = 'attention.resolved') <> 1
    UNION ALL SELECT 'count' WHERE (SELECT count(*) FROM attention WHERE status = 'resolved')
      <> (SELECT count(*) FROM idempotency WHERE operation = 'resolveWorkAttention')`,
  "a Work or an upload without its key": `
    SELECT 'work' WHERE (SELECT count(*) FROM work) <> (SELECT count(*) FROM idempotency WHERE operation = 'createWork')
    UNION ALL SELECT 'upload' WHERE (SELECT count(*) FROM upload)
      <> (SELECT count(*) FROM idempotency WHERE operation = 'createInputUpload')`,
  "a letter sent twice": `
    SELECT work_id FROM event WHERE type = 'letter.sent' GROUP BY work_id HAVING count(*) > 1`,
  "a letter without its event, or the other way round": `
    SELECT id FROM approval WHERE (sent_at IS NOT NULL) <> EXISTS (SELECT 1 FROM event
      WHERE work_id = approval.work_id AND type = 'letter.sent' AND json_extract(payload, '$.action_id') = action_id)`,
}

function contradictions(store: Store): string[] {
  return Object.entries(CONTRADICTIONS)
    .filter(([, sql]) => store.all(sql).length > 0)
    .map(([name]) => name)
}

/** Opens the store while no service runs, and returns the value of `look`. */
function inspect<Value>(folder: string, look: (store: Store) => Value): Value {
  const opened = openStore(folder)
  try {
    return look(opened.store)
  } finally {
    opened.close()
  }
}

const count = (store: Store, sql: string) => integer(store.get(`SELECT count(*) AS n FROM ${sql}`) ?? {}, "n")

/** The names of the files of all letters that were sent, from the rows of the store. */
const sentLetters = (store: Store) =>
  store.all("SELECT action_id FROM approval WHERE sent_at IS NOT NULL").map((row) => `${text(row, "action_id")}.txt`)

async function outboxOf(data: string): Promise<string[]> {
  return (await readdir(join(data, "outbox"))).filter((name) => !name.endsWith(".new")).toSorted()
}

/** Milliseconds below 600, the same for the same seed (xorshift). */
function* momentsOf(seed: number): Generator<number, never> {
  for (let state = seed | 1; ;) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    yield (state >>> 0) % 600
  }
}

/**
 * Kills a service `rounds` times at random moments under load, and starts it again on the same data. Each time the data must have every
 * acknowledged write, no half of a write, and each letter at most once.
 */
export async function crashRounds(rounds: number): Promise<void> {
  const seed = Number(process.env["CRASH_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
  const moments = momentsOf(seed)
  console.log(`The moments of the kills come from CRASH_SEED=${seed}`)
  const folder = await folderForTest()
  const config = join(folder, "config.json")
  await writeFile(config, JSON.stringify({ credentials, pace: 0, limits: LIMITS }))
  const data = join(folder, "data")
  const start = () => ServiceProcess.start({ SERVICE_DATA: data, SERVICE_CONFIG: config })

  let acknowledged = 0
  let inDoubt = 0
  for (let round = 0; round < rounds; round++) {
    const service = start()
    const base = await service.address()
    const load = new CrashLoad(ALICE)
    const clients = Array.from({ length: CLIENTS }, () => load.run(base))
    await expect.poll(() => load.acknowledged, { interval: 5 }).toBeGreaterThan(0)
    const moment = moments.next().value
    await sleep(moment)
    expect(await service.end("SIGKILL")).toBe("SIGKILL")
    await Promise.all(clients)
    acknowledged += load.acknowledged
    inDoubt += load.intents.length - load.acknowledged
    console.log(`Round ${round + 1}: killed after ${moment} ms and ${load.acknowledged} acknowledged writes`)
    const [wrong, sent] = inspect(data, (store) => [contradictions(store), sentLetters(store)])
    expect(wrong).toEqual([])
    // A letter's file is written after the letter's commit, so there is no file of another letter.
    expect((await outboxOf(data)).filter((name) => !sent.includes(name))).toEqual([])

    const next = start()
    await load.verify(await next.address())
    await next.end("SIGKILL")
    expect(inspect(data, contradictions)).toEqual([])
  }

  const last = start()
  const works = await finishAll(await last.address(), ALICE)
  expect(await last.end("SIGTERM")).toBe(0)
  const [wrong, letters, approved, sent] = inspect(data, (store) => [
    contradictions(store),
    count(store, "event WHERE type = 'letter.sent'"),
    count(store, "approval WHERE status = 'approved'"),
    sentLetters(store),
  ])
  expect(wrong).toEqual([])
  expect(letters).toBe(approved)
  expect(await outboxOf(data)).toEqual(sent.toSorted())
  expect(works).toBeGreaterThanOrEqual(rounds)
  console.log(`${rounds} kills: ${acknowledged} acknowledged writes, ${inDoubt} in doubt, ${works} Works finished`)
}
