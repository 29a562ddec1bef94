/** Stores the result of a mutation: the outcome row, and the tables that follow from it. */
import { setTimeout as delay } from "node:timers/promises"
import type { Session } from "../../people/people-interface.ts"
import { isRefusedRow, type Reader } from "../../store/database.ts"
import { inBackground } from "../../../platform/background.ts"
import { readOutcome } from "./attempt-state.ts"
import { readAnswer } from "./recorded-content.ts"
import { inRecord, type RecordOptions, type RecordTransaction } from "../hash-chain.ts"
import { settleHeld } from "./held-approves.ts"
import type { Mutation, MutationAnswer } from "./mutation.ts"
import { type IntentRow, type OutcomeRow, readIntent } from "../record-rows.ts"
import { settleCreation } from "../creations.ts"
import { keepAction } from "../creators-and-deciders.ts"
import { keepUnseenStep } from "../unseen-steps.ts"
import { keepOrigin } from "../work-origins.ts"
import { SerialQueue } from "../../store/serial-queue.ts"

/** How long the client's answer waits until the outcome row is stored. Other desks show new Work to its creator only then. */
const ANSWER_WAIT_MS = 1_000
/** How long the desk waits before it tries a row again. */
const RETRY_MS = 500
/** A process that ends tries to store the rows for END_MS, and waits END_RETRY_MS between two tries. */
const END_MS = 1_500
const END_RETRY_MS = 100
/** How many earlier attempts a replay settles in one transaction. Any other change of the record waits for at most one of these transactions. */
const SETTLED_AT_ONCE = 20

/** An intent row, with the mutation that it was made of. */
export type StoredIntent = {
  readonly session: Session
  readonly mutation: Mutation
  readonly intent: IntentRow
  readonly sequence: number
}

export class Outcomes {
  readonly #options: RecordOptions
  readonly #storing = new Set<Promise<void>>()
  /** One queue for all keys, so that another person's change waits for one transaction, and not for one of every key. */
  readonly #settling = new SerialQueue()
  readonly #ending = new AbortController()
  #isOver = false

  constructor(options: RecordOptions) {
    this.#options = options
  }

  /** Stores the outcome, and tries again until the process ends. Resolves when the row is stored, or after ANSWER_WAIT_MS. Never rejects. */
  async store(storedIntent: StoredIntent, answer: MutationAnswer): Promise<void> {
    const outcome = outcomeOf(storedIntent.mutation, answer)
    await within(
      ANSWER_WAIT_MS,
      this.#retry((isRetry) => this.#storeOnce(storedIntent, outcome, isRetry)),
    )
  }

  /** Stores that an intent was never sent, if its row was stored although COMMIT gave no answer. The record's lock waits for that transaction to end. */
  settleUnsent(storedIntent: Omit<StoredIntent, "sequence">): void {
    const outcome = outcomeOf(storedIntent.mutation, { kind: "none", unsent: true })
    inBackground(() =>
      this.#retry(async () => {
        const sequence = await inRecord(this.#options, (transaction) => findIntent(transaction, storedIntent.intent))
        if (sequence !== undefined) await this.#storeOnce({ ...storedIntent, sequence }, outcome, true)
      }),
    )
  }

  /** Resolves when every outcome row is stored, or after END_MS, because the process ends. */
  async finished(): Promise<void> {
    this.#ending.abort()
    await within(END_MS, Promise.all(this.#storing))
    this.#isOver = true
  }

  /** Calls `store` until it succeeds, its row is refused, or the process ends. Never rejects. `finished` waits for it. */
  #retry(store: (isRetry: boolean) => Promise<void>): Promise<void> {
    const storing = this.#tryUntilStored(store)
    this.#storing.add(storing)
    inBackground(() => storing.finally(() => this.#storing.delete(storing)))
    return storing
  }

  async #tryUntilStored(store: (isRetry: boolean) => Promise<void>): Promise<void> {
    for (let tries = 0; !this.#isOver; tries++) {
      try {
        return await store(tries > 0)
      } catch (error) {
        if (tries === 0) this.#options.onFailed(error)
        // Any other fault may pass, but the store would refuse the same row again.
        if (isRefusedRow(error)) return
      }
      // `finished` aborts the signal, which ends this wait. From then on, all waits are short.
      await delay(RETRY_MS, undefined, { signal: this.#ending.signal }).catch(() => delay(END_RETRY_MS))
    }
  }

  /** Stores the outcome row and all that follows from it in one transaction. `isRetry`: an earlier try may have stored the row, but its answer was lost. */
  async #storeOnce(storedIntent: StoredIntent, outcome: Omit<OutcomeRow, "intent">, isRetry: boolean): Promise<void> {
    const { session, mutation, intent, sequence } = storedIntent
    await inRecord(this.#options, async (transaction) => {
      const stored = await readOutcome(transaction, sequence)
      if (!addsTo(stored, outcome, isRetry)) return
      await keepAction(transaction, session, this.#options.access(), intent, outcome)
      await settleCreation(transaction, intent, sequence, outcome)
      await keepOrigin(transaction, mutation, sequence, outcome)
      await settleHeld(transaction, intent, outcome)
      await keepUnseenStep(transaction, intent, outcome)
      await transaction.append({ ...outcome, intent: sequence })
    })
    if (outcome.replayed === true) await this.#settleEarlier(storedIntent, outcome)
  }

  /** Settles all earlier attempts in small transactions, so that other changes of the record run between them. */
  async #settleEarlier(storedIntent: StoredIntent, outcome: Omit<OutcomeRow, "intent">): Promise<void> {
    const settleSome = () =>
      inRecord(this.#options, (transaction) => settleEarlierAttempts(transaction, storedIntent, outcome))
    while (!this.#isOver && (await this.#settling.add(settleSome)) === SETTLED_AT_ONCE) continue
  }
}

/**
 * Whether an outcome adds to the stored one. A replay of a later attempt may already have stored an outcome (`#settleEarlier`).
 *
 * | stored              | new                 | is stored                                                                        |
 * | ------------------- | ------------------- | -------------------------------------------------------------------------------- |
 * | nothing             | any                 | yes                                                                              |
 * | unknown             | that it never left  | no: a replay has sent it, or an earlier try has stored this                      |
 * | unknown             | any other           | yes                                                                              |
 * | recorded or refused | recorded            | by the first try: the service's own answer names what the replay could not       |
 * | recorded or refused | any other           | no                                                                               |
 */
function addsTo(stored: string | undefined, outcome: Omit<OutcomeRow, "intent">, isRetry: boolean): boolean {
  if (stored === undefined) return true
  if (stored === "recorded" || stored === "refused") return outcome.outcome === "recorded" && !isRetry
  return outcome.unsent !== true
}

/** The sequence of an intent, if its row was stored. Each request has its own id. */
async function findIntent({ read }: Reader, { key_hash, request_id }: IntentRow): Promise<number | undefined> {
  const sql = "SELECT sequence, entry FROM record WHERE key_hash = ? ORDER BY sequence DESC LIMIT 20"
  const row = (await read(sql, key_hash)).find(({ entry }) => readIntent(entry)?.request_id === request_id)
  return row && Number(row["sequence"])
}

/** Gives the outcome of a replay to SETTLED_AT_ONCE earlier attempts with the same input and an unknown outcome. @returns how many */
async function settleEarlierAttempts(
  transaction: RecordTransaction,
  { intent, sequence }: StoredIntent,
  { replayed: _replayed, ...original }: Omit<OutcomeRow, "intent">,
): Promise<number> {
  const earlier = await transaction.read(
    `SELECT intent FROM attempt WHERE key_hash = ? AND outcome = 'unknown' AND input_hash = ? AND person_id = ? AND intent <> ?
     ORDER BY intent LIMIT ${SETTLED_AT_ONCE}`,
    intent.key_hash,
    intent.input_hash,
    intent.person,
    sequence,
  )
  for (const row of earlier) await transaction.append({ ...original, intent: Number(row["intent"]) })
  return earlier.length
}

function outcomeOf({ operation }: Mutation, answer: MutationAnswer): Omit<OutcomeRow, "intent"> {
  switch (answer.kind) {
    case "success": {
      const { status, replayed } = answer
      return { ...readAnswer(operation, answer.body), kind: "outcome", outcome: "recorded", status, replayed }
    }
    case "problem": {
      const { status } = answer
      // With any other status the service may have applied the mutation.
      const isRefused = status >= 400 && status < 500
      return { kind: "outcome", outcome: isRefused ? "refused" : "unknown", status }
    }
    case "none":
      return { kind: "outcome", outcome: "unknown", unsent: answer.unsent }
  }
}

/** Resolves with `work`, which never rejects, or after some milliseconds. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, delay(milliseconds, undefined, { ref: false })])
}
