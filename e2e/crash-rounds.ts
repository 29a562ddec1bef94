import { hash, randomUUID } from "node:crypto"
import { join } from "node:path"
import { expect } from "vitest"
import { readEntries } from "../src/desk/record/entries.ts"
import { FROM_THE_END } from "../src/desk/record/record-query.ts"
import { openDatabaseForReading } from "../src/desk/store/open-store.ts"
import { faultsOfRun } from "../src/desk/testing/audit.ts"
import type { HostileProvider } from "../src/desk/people/testing/hostile-provider.ts"
import type { DecidingUpstream, Steps } from "./deciding-upstream.ts"
import { SignedInPerson, startSignedInDesk } from "./signed-in-desk.ts"

const AT_ONCE = 4
// A little longer than a decision takes on an idle machine.
const LONGEST_MS = 12

const DECISIONS_MAX = 12

/** Where a round kills the desk: at a step of a decision, or at any moment. */
export const STEPS: readonly (keyof Steps | "any")[] = ["read", "heard", "done", "answered", "any"]

/** A decision that was sent. `answered`: the status of its answer; undefined if no answer came. */
type Sent = { readonly key: string; readonly work: string; answered: number | undefined }

/**
 * Rounds of decisions in which the desk is killed (SIGKILL), and started again on what is left. After each round the record is
 * compared with what the upstream received. At the end every key is sent again, and the record has the result of each.
 */
export async function crashRounds(
  rounds: number,
  parts: { readonly provider: HostileProvider; readonly upstream: DecidingUpstream; readonly folder: string },
): Promise<{ readonly sent: number; readonly answered: number; readonly heard: number; readonly unknown: number }> {
  const { upstream, folder } = parts
  const options = { ...parts, upstreamUrl: upstream.url }
  const all: Sent[] = []
  let person: SignedInPerson | undefined
  for (let round = 0; round < rounds; round++) {
    const desk = await startSignedInDesk(options)
    person ??= await SignedInPerson.signIn(desk.url)
    const step = STEPS[round % STEPS.length] ?? "any"
    const gone = killAt(step, upstream, () => desk.stop("SIGKILL"))
    const sent = await decideUntilKilled(desk.url, person, round)
    await gone
    upstream.steps = {}
    all.push(...sent)
    await checkRecord(folder, upstream, all)
  }
  const unknown = (await entriesOf(folder)).filter(({ outcome }) => outcome === "unknown").length
  const heard = new Set(upstream.heard).size
  const answered = all.filter((sent) => sent.answered !== undefined).length
  const desk = await startSignedInDesk(options)
  for (const { key, work } of all) {
    const answer = await person?.decide(desk.url, work, key)
    expect(answer?.status, answer?.text).toBe(200)
  }
  await desk.stop()
  await checkRecord(folder, upstream, all, { isSettled: true })
  return { sent: all.length, answered, heard, unknown }
}

/** Kills once, at the step or at any moment after it, in one of the first decisions. Resolves when the desk is gone. */
function killAt(step: keyof Steps | "any", upstream: DecidingUpstream, kill: () => Promise<void>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // Not always the first decision of the process.
  let left = Math.ceil(Math.random() * DECISIONS_MAX)
  const soon = () => {
    left--
    if (left !== 0) return
    const pause = step === "any" ? Math.random() * LONGEST_MS : Math.random() * 2
    setTimeout(() => void kill().then(resolve, reject), pause)
  }
  upstream.steps = step === "any" ? { read: soon } : { [step]: soon }
  return promise
}

/** Sends decisions, several at once, until the desk no longer answers. */
async function decideUntilKilled(base: string, person: SignedInPerson, round: number): Promise<readonly Sent[]> {
  const sent: Sent[] = []
  const send = async (lane: number) => {
    for (let turn = 0; ; turn++) {
      const decision: Sent = { key: randomUUID(), work: `work-${round}-${lane}-${turn}`, answered: undefined }
      sent.push(decision)
      decision.answered = (await person.decide(base, decision.work, decision.key)).status
      expect(decision.answered).toBe(200)
    }
  }
  const lanes = Array.from({ length: AT_ONCE }, (_, lane) => send(lane))
  for (const lane of await Promise.allSettled(lanes)) {
    const isCut = lane.status === "rejected" && lane.reason instanceof Error && "code" in lane.reason
    if (!isCut) throw new Error("a decision was refused", { cause: lane })
  }
  return sent
}

async function entriesOf(folder: string) {
  const database = await openDatabaseForReading({ dataFolder: join(folder, "data"), databaseUrl: undefined })
  const { entries } = await readEntries(database, {}, FROM_THE_END, 1_000_000)
  await database.close()
  return entries
}

/** Checks what must be true of the record at any moment. */
async function checkRecord(
  folder: string,
  upstream: DecidingUpstream,
  all: readonly Sent[],
  { isSettled = false } = {},
): Promise<void> {
  const database = await openDatabaseForReading({ dataFolder: join(folder, "data"), databaseUrl: undefined })
  expect(await faultsOfRun(database, upstream.changes)).toEqual([])
  const rows = await database.read(
    "SELECT key_hash, count(*) AS intents FROM record WHERE key_hash IS NOT NULL GROUP BY key_hash",
  )
  const intents = new Map(rows.map((row) => [row["key_hash"], row["intents"]]))
  await database.close()
  const heard = new Set(upstream.heard)
  for (const { key, answered } of all) {
    const count = intents.get(hash("sha256", `Idempotency-Key: ${key}`)) ?? 0
    const times = isSettled ? upstream.heard.filter((other) => other === key).length : 1
    if (heard.has(key) && !isSettled) expect(count, "received by the upstream: exactly one intent").toBe(times)
    if (answered !== undefined) expect(heard.has(key), "answered, so received by the upstream").toBe(true)
  }
  const entries = await entriesOf(folder)
  for (const { outcome, work_id } of entries) {
    const effect = [...upstream.effects.values()].filter((content) => content.includes(`"work_id":"${work_id}"`))
    if (outcome === "recorded" || isSettled) expect(effect, `one effect of ${work_id}`).toHaveLength(1)
    if (!isSettled) expect(outcome, "nothing was refused").not.toBe("refused")
  }
  if (isSettled) expect(upstream.effects.size).toBe(all.length)
}
