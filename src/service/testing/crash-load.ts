/** A client that delegates Work, answers and decides without a pause until its service is killed, and remembers every mutation. */
import { expect } from "vitest"
import { type Answer, call, type Call, listOf, newKey, textOf } from "./client.ts"

/** A mutation with its Idempotency-Key, and the answer of the service if the client has received one. */
type Intent = { readonly target: string; readonly options: Call; acknowledged?: Answer }

export const CSV = "city,people\nOslo,7\nRoma,28\nOslo,7\n"

export class CrashLoad {
  readonly intents: Intent[] = []
  readonly #token: string

  constructor(token: string) {
    this.#token = token
  }

  get acknowledged(): number {
    return this.intents.filter(({ acknowledged }) => acknowledged !== undefined).length
  }

  /** Delegates one Work after the other. Resolves when a request fails, because the service was killed. */
  async run(base: string): Promise<void> {
    try {
      for (let turn = 0; ; turn++) await this.#delegate(base, turn)
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error
    }
  }

  /**
   * Sends every mutation again under the same key. An acknowledged mutation must get the same answer as a replay. A mutation whose answer
   * was lost must succeed.
   */
  async verify(base: string): Promise<void> {
    for (const intent of this.intents) {
      const again = await call(base, "POST", intent.target, intent.options)
      if (intent.acknowledged !== undefined) {
        expect(again.headers["idempotent-replayed"], again.text).toBe("true")
        expect(again.text).toBe(intent.acknowledged.text)
      }
      expect([200, 201, 202], again.text).toContain(again.status)
    }
  }

  async #delegate(base: string, turn: number): Promise<void> {
    const upload = await this.#post(base, "/api/v1/uploads", { name: "c.csv", media_type: "text/csv", content: CSV })
    const input_upload_ids = [textOf(upload.body, "id")]
    const body = { colleague_id: "analyst", objective: "Profile", input_upload_ids }
    const path = `/api/v1/work/${textOf((await this.#post(base, "/api/v1/work", body)).body, "id")}`
    const attention = await this.#first(base, `${path}/attention`)
    await this.#post(base, `${path}/attention/${attention}/resolve`, { response: "city" }, '"1"')
    const approval = await this.#first(base, `${path}/approvals`)
    const decision = turn % 2 === 0 ? "approve" : "decline"
    await this.#post(base, `${path}/approvals/${approval}/resolve`, { decision }, '"1"')
  }

  async #post(base: string, target: string, body: unknown, ifMatch?: string): Promise<Answer> {
    const options = { token: this.#token, key: newKey(), body, ...(ifMatch === undefined ? {} : { ifMatch }) }
    const intent: Intent = { target, options }
    this.intents.push(intent)
    const answer = await call(base, "POST", target, options)
    expect([200, 201], answer.text).toContain(answer.status)
    intent.acknowledged = answer
    return answer
  }

  async #first(base: string, target: string): Promise<string> {
    for (;;) {
      const [item] = listOf((await call(base, "GET", target, { token: this.#token })).body)
      if (item !== undefined) return textOf(item, "id")
    }
  }
}

/** Answers every clarification and approves every approval until all Work is done. Returns the number of Works. */
export async function finishAll(base: string, token: string): Promise<number> {
  for (;;) {
    const works = await listAll(base, token)
    const unfinished = works.filter((work) => textOf(work, "status") !== "done")
    if (unfinished.length === 0) return works.length
    for (const work of unfinished) await resolveOpen(base, token, `/api/v1/work/${textOf(work, "id")}`)
  }
}

/** Answers the open clarification and approves the pending approval of a Work, if it has them. */
export async function resolveOpen(base: string, token: string, path: string): Promise<void> {
  const options = () => ({ token, key: newKey(), ifMatch: '"1"' })
  for (const [list, body] of [
    ["attention", { response: "city" }],
    ["approvals", { decision: "approve" }],
  ] as const) {
    const query = list === "approvals" ? "?status=pending" : ""
    const [item] = listOf((await call(base, "GET", `${path}/${list}${query}`, { token })).body)
    if (item !== undefined)
      await call(base, "POST", `${path}/${list}/${textOf(item, "id")}/resolve`, { ...options(), body })
  }
}

async function listAll(base: string, token: string): Promise<unknown[]> {
  const all: unknown[] = []
  let cursor = ""
  for (;;) {
    const { body } = await call(base, "GET", `/api/v1/work?limit=100${cursor}`, { token })
    all.push(...listOf(body))
    if (typeof body !== "object" || body === null || !("next_cursor" in body)) return all
    cursor = `&cursor=${textOf(body, "next_cursor")}`
  }
}
