import { randomUUID } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
import createClient from "openapi-fetch"
import type { Client } from "openapi-fetch"
import { stringifyJson } from "../../contract/int64.ts"
import type {
  CreateInputUploadRequest,
  CreateWorkRequest,
  ResolveApprovalRequest,
  Work,
} from "../../contract/resources.ts"
import type { paths } from "../../contract/schema.d.ts"

/** How long anything that a colleague does may take before the seeding gives up, in milliseconds. */
const TIMEOUT_MS = 30_000

/** What an owner does at the desk, over HTTP and nothing else: the seeding has no other way in. */
export class OwnersDesk {
  readonly #client: Client<paths>

  /** `baseUrl` is the address of a desk without sign-in. */
  constructor(baseUrl: string) {
    this.#client = createClient<paths>({ baseUrl, bodySerializer: (body) => stringifyJson(body) })
  }

  /** Uploads an input and waits for its scan. Gives its id. */
  async upload(body: CreateInputUploadRequest): Promise<string> {
    const created = succeeded(await this.#client.POST("/api/v1/uploads", { params: { header: key() }, body }))
    return this.#until(`the scan of ${body.name}`, async () => {
      const { id, status } = succeeded(
        await this.#client.GET("/api/v1/uploads/{id}", { params: { path: { id: created.id } } }),
      )
      return status === "processing" ? undefined : id
    })
  }

  async delegate(body: CreateWorkRequest): Promise<Work> {
    return succeeded(await this.#client.POST("/api/v1/work", { params: { header: key() }, body }))
  }

  /** Waits for the open clarification and answers it. */
  async answer(id: string, response: string): Promise<void> {
    const open = await this.asked(id)
    const header = { ...key(), "If-Match": `"${String(open.version)}"` }
    const path = { id, attention_id: open.id }
    succeeded(
      await this.#client.POST("/api/v1/work/{id}/attention/{attention_id}/resolve", {
        params: { path, header },
        body: { response },
      }),
    )
  }

  /** Waits for the pending approval and decides it. */
  async decide(id: string, body: ResolveApprovalRequest): Promise<void> {
    const pending = await this.pending(id)
    const header = { ...key(), "If-Match": `"${String(pending.version)}"` }
    const path = { id, approval_id: pending.id }
    succeeded(
      await this.#client.POST("/api/v1/work/{id}/approvals/{approval_id}/resolve", { params: { path, header }, body }),
    )
  }

  asked(id: string) {
    return this.#until(`the question of ${id}`, async () => {
      return succeeded(await this.#client.GET("/api/v1/work/{id}/attention", { params: { path: { id } } })).data[0]
    })
  }

  pending(id: string) {
    return this.#until(`the approval of ${id}`, async () => {
      const query = { status: "pending" as const }
      return succeeded(await this.#client.GET("/api/v1/work/{id}/approvals", { params: { path: { id }, query } }))
        .data[0]
    })
  }

  /** Waits until the Work has a status. */
  async reached(id: string, status: Work["status"]): Promise<void> {
    await this.#until(`${id} to be ${status}`, async () => {
      const work = succeeded(await this.#client.GET("/api/v1/work/{id}", { params: { path: { id } } }))
      return work.status === status ? work : undefined
    })
  }

  async #until<Value>(what: string, look: () => Promise<Value | undefined>): Promise<Value> {
    const deadline = performance.now() + TIMEOUT_MS
    for (;;) {
      const value = await look()
      if (value !== undefined) return value
      if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`)
      await wait(15)
    }
  }
}

function key() {
  return { "Idempotency-Key": randomUUID() }
}

function succeeded<Data>({
  data,
  error,
  response,
}: {
  data?: Data
  error?: { detail?: string }
  response: Response
}): Data {
  if (data === undefined)
    throw new Error(`${response.url} answered ${response.status}: ${error?.detail ?? "no Problem"}`)
  return data
}
