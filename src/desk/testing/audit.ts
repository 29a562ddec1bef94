/** Reads what a random run has left: the record, the desk's tables and the service must agree, and nothing may have happened twice. */
import { operations } from "../../contract/operations.ts"
import { faultsOfNotices } from "../notices/testing/notice-faults.ts"
import { readIntent, readOutcomeRow } from "../record/record-rows.ts"
import { keyHashOf } from "../record/gate/mutation.ts"
import { verify } from "../record/chain-verification.ts"
import type { Reader } from "../store/database.ts"

/** What the service has done for a request. A request that took effect twice is in the list twice. */
export type Effect = { readonly key: string; readonly work?: string | undefined; readonly item?: string | undefined }

/**
 * The faults of a run, in words.
 *
 * @param effects left out: the test does not know what the service has done
 */
export async function faultsOfRun(store: Reader, effects?: readonly Effect[]): Promise<readonly string[]> {
  const attempts = await readAttempts(store)
  return [
    ...(await verify(store)).faults,
    ...faultsOfAttempts(attempts),
    ...(effects === undefined ? [] : faultsOfEffects(attempts, effects)),
    ...(await faultsOfTables(store, attempts)),
    ...(await faultsOfNotices(store)),
  ]
}

/** An intent with what is known of it in the end. */
type Attempt = {
  readonly sequence: number
  readonly person: string
  readonly operation: string
  readonly keyHash: string
  readonly work: string | undefined
  readonly item: string | undefined
  readonly outcomes: readonly string[]
  readonly outcome: string
  readonly isSentOn: boolean
  readonly name: string
  /** Whether the outcome names another Work or item than the intent. */
  readonly isAboutAnother: boolean
}

async function readAttempts({ read }: Reader): Promise<readonly Attempt[]> {
  const rows = await read("SELECT entry, intent FROM record ORDER BY sequence")
  return rows.flatMap(({ entry = null }) => {
    const intent = readIntent(entry)
    if (intent === undefined) return []
    const { sequence, person, operation } = intent
    const answers = rows
      .filter((row) => row["intent"] === sequence)
      .flatMap((row) => readOutcomeRow(row["entry"]) ?? [])
    const differs = (one: string | undefined, other: string | undefined) =>
      one !== undefined && other !== undefined && one !== other
    return {
      sequence,
      person,
      operation,
      keyHash: intent.key_hash,
      work: intent.work_id ?? answers.at(-1)?.work_id,
      item: intent.item_id ?? answers.at(-1)?.item_id,
      outcomes: answers.map(({ outcome }) => outcome),
      outcome: answers.at(-1)?.outcome ?? "unknown",
      isSentOn: operation in operations,
      name: `row ${sequence}, ${operation}`,
      isAboutAnother: answers.some(
        ({ work_id: work, item_id: item }) => differs(intent.work_id, work) || differs(intent.item_id, item),
      ),
    }
  })
}

function faultsOfAttempts(attempts: readonly Attempt[]): readonly string[] {
  const recorded = attempts.filter(({ isSentOn, outcome }) => isSentOn && outcome === "recorded")
  const byKey = Map.groupBy(recorded, ({ keyHash }) => keyHash)
  const decisions = recorded.filter(({ operation }) => operation.startsWith("resolveWork"))
  const byItem = Map.groupBy(decisions, ({ work, item }) => JSON.stringify([work, item]))
  return [
    ...attempts.filter(({ isAboutAnother }) => isAboutAnother).map(({ name }) => `${name}: changed another item`),
    ...attempts
      .filter(({ outcomes }) => outcomes.slice(0, -1).includes("recorded"))
      .map(({ name }) => `${name}: has an outcome after "recorded"`),
    ...[...byKey.values()]
      .filter((same) => new Set(same.map(({ work, item }) => JSON.stringify([work, item]))).size > 1)
      .map(([first]) => `${first?.name}: one key changed two things`),
    ...[...byItem]
      .filter(([, same]) => new Set(same.map(({ keyHash }) => keyHash)).size > 1)
      .map(([item]) => `${item}: decided twice`),
  ]
}

function faultsOfEffects(attempts: readonly Attempt[], effects: readonly Effect[]): readonly string[] {
  const hashes = effects.map(({ key }) => keyHashOf({ idempotencyKey: key }))
  const ofService = effects.flatMap(({ work, item }, index) => {
    const keyHash = hashes[index]
    const own = attempts.filter((attempt) => attempt.keyHash === keyHash)
    const known = own.filter(({ outcome }) => outcome === "recorded" || outcome === "unknown")
    const about = `the service changed ${work ?? "something"} ${item ?? ""}`
    const isSame = known.some(
      (attempt) =>
        (work === undefined || attempt.work === undefined || attempt.work === work) &&
        (item === undefined || attempt.item === undefined || attempt.item === item),
    )
    return [
      ...(hashes.indexOf(keyHash ?? "") === index ? [] : [`${about} twice`]),
      ...(isSame ? [] : [`${about}, and the record does not say so: ${own.map(({ outcome }) => outcome).join()}`]),
    ]
  })
  const ofRecord = attempts
    .filter(({ isSentOn, outcome, keyHash }) => isSentOn && outcome === "recorded" && !hashes.includes(keyHash))
    .map(({ name }) => `${name}: recorded, and the service did nothing`)
  return [...ofService, ...ofRecord]
}

/** The tables that repeat what the record says. */
async function faultsOfTables({ read }: Reader, attempts: readonly Attempt[]): Promise<readonly string[]> {
  const bySequence = new Map(attempts.map((attempt) => [attempt.sequence, attempt]))
  const [states, held, people, assignments, frozen] = await Promise.all([
    read("SELECT intent, outcome FROM attempt"),
    read("SELECT * FROM held_approval"),
    read("SELECT work_id, person_id, deed FROM work_person"),
    read("SELECT work_id, item_id, etag FROM assignment"),
    read("SELECT colleague FROM frozen"),
  ])
  const recorded = attempts.filter(({ outcome }) => outcome === "recorded")
  const operations = { creator: "createWork", decider: "resolveWorkApproval" }
  const keyOf = (operation: string, work: unknown, person: unknown) => JSON.stringify([operation, work, person])
  const did = new Set(recorded.map(({ operation, work, person }) => keyOf(operation, work, person)))
  const kept = new Set(
    people.map((row) => keyOf(Reflect.get(operations, row["deed"] ?? ""), row["work_id"], row["person_id"])),
  )
  // In local mode there is nobody to tell apart.
  const toKeep = recorded.filter(
    ({ operation, person }) => Object.values(operations).includes(operation) && person !== "local",
  )
  const freezes = attempts.filter(({ operation }) => operation === "freeze" || operation === "unfreeze")
  return [
    ...states
      .filter((row) => bySequence.get(Number(row["intent"]))?.outcome !== row["outcome"])
      .map((row) => `row ${row["intent"]}: the table of attempts says ${row["outcome"]}`),
    ...held
      .filter((row) => {
        const found = bySequence.get(Number(row["intent"]))
        return found?.outcome !== "held" || found.person !== row["person_id"] || found.item !== row["approval_id"]
      })
      .map((row) => `an approve of ${row["approval_id"]} is kept, and the record does not say so`),
    ...[...kept].filter((key) => !did.has(key)).map((key) => `${key}: kept, and not recorded`),
    ...toKeep
      .filter(({ operation, work, person }) => !kept.has(keyOf(operation, work, person)))
      .map(({ name }) => `${name}: recorded, and not kept with its Work`),
    ...assignments
      .filter((row) => {
        const last = attempts.findLast(
          ({ item, work, operation }) =>
            item === row["item_id"] && work === row["work_id"] && /^(?:take|hand|giveBack)Item$/.test(operation),
        )
        return last === undefined || last.operation === "giveBackItem"
      })
      .map((row) => `${row["item_id"]} is given to somebody, and the record does not say so`),
    ...(frozen.length > 0 && freezes.length === 0 ? ["something is frozen, and the record does not say so"] : []),
  ]
}
