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
import { keepAction } from "../work-people.ts"
import { keepUnseenStep } from "../unseen-steps.ts"
import { keepOrigin } from "../work-origins.ts"
import { SerialQueue } from "../../store/serial-queue.ts"

/** How long the client's answer waits until the outcome row is stored. */
const ANSWER_WAIT_MS = 300
/** How long the desk waits before it tries a row again. */
const RETRY_MS = 500
/** A process that ends tries to store the rows for END_MS, and waits END_RETRY_MS between two tries. */
const END_MS = 1_500
const END_RETRY_MS = 100
/** How many earlier attempts a replay settles in one transaction. Every other change of the record waits for at most one of these transactions. */
const SETTLED_AT_ONCE = 20

export type Begun = {
  readonly session: Session
  readonly mutation: Mutation
  readonly intent: IntentRow
  readonly sequence: number
}

export class Outcomes {
  readonly #options: RecordOptions
  readonly #storing = new Set<Promise<void>>()
  /** One queue for all keys. With a queue for each key, another person's change would wait for one transaction of every key. */
  readonly #settling = new SerialQueue()
  readonly #ending = new AbortController()
  #isOver = false

  constructor(options: RecordOptions) {
    this.#options = options
  }

  /** Stores the outcome, and tries again until the process ends. Resolves when the row is stored, or after ANSWER_WAIT_MS. Never rejects. */
  async store(begun: Begun, answer: MutationAnswer): Promise<void> {
    const outcome = outcomeOf(begun.mutation, answer)
    await within(
      ANSWER_WAIT_MS,
      this.#storeUntilStored((isRetry) => this.#storeOnce(begun, outcome, isRetry)),
    )
  }

  /**
   * Stores that an intent never left, if its row is there although the answer to the COMMIT was lost. Tries until the store is there again. The
   * record's lock is free only when the transaction of the intent has ended.
   */
  settleUnsent(begun: Omit<Begun, "sequence">): void {
    const outcome = outcomeOf(begun.mutation, { kind: "none", unsent: true })
    inBackground(() =>
      this.#storeUntilStored(async () => {
        const sequence = await inRecord(this.#options, (transaction) => findIntent(transaction, begun.intent))
        if (sequence !== undefined) await this.#storeOnce({ ...begun, sequence }, outcome, true)
      }),
    )
  }

  /** Resolves when every outcome row is stored, or after a moment, because the process ends. */
  async finished(): Promise<void> {
    this.#ending.abort()
    await within(END_MS, Promise.all(this.#storing))
    this.#isOver = true
  }

  #storeUntilStored(store: (isRetry: boolean) => Promise<void>): Promise<void> {
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
        // A fault that the desk does not know may pass. Only the row itself would be refused again.
        if (isRefusedRow(error)) return
      }
      // When the process ends, the signal cuts this wait short, and all further waits are short.
      await delay(RETRY_MS, undefined, { signal: this.#ending.signal }).catch(() => delay(END_RETRY_MS))
    }
  }

  /** Stores the outcome row, and in the same transaction all that follows from it. `isRetry`: an earlier try may have stored the row unheard. */
  async #storeOnce(begun: Begun, outcome: Omit<OutcomeRow, "intent">, isRetry: boolean): Promise<void> {
    const { session, mutation, intent, sequence } = begun
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
    if (outcome.replayed === true) await this.#settleEarlier(begun, outcome)
  }

  /** Settles all earlier attempts in small transactions, so that other changes of the record get a turn between them. */
  async #settleEarlier(begun: Begun, outcome: Omit<OutcomeRow, "intent">): Promise<void> {
    const settleSome = () =>
      inRecord(this.#options, (transaction) => settleEarlierAttempts(transaction, begun, outcome))
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

/** The sequence of an intent of this desk, if its row was stored. Each request has an id of its own. */
async function findIntent({ read }: Reader, { key_hash, request_id }: IntentRow): Promise<number | undefined> {
  const sql = "SELECT sequence, entry FROM record WHERE key_hash = ? ORDER BY sequence DESC LIMIT 20"
  const row = (await read(sql, key_hash)).find(({ entry }) => readIntent(entry)?.request_id === request_id)
  return row && Number(row["sequence"])
}

/**
 * After a replay, each earlier attempt of the person with the same input and an unknown outcome gets the outcome of the replay, too: SETTLED_AT_ONCE of
 * them, because there may be thousands. @returns how many
 */
async function settleEarlierAttempts(
  transaction: RecordTransaction,
  { intent, sequence }: Begun,
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
      // With any other status the service may have taken the mutation.
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
