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

/** The longest wait for a colleague. After that the filling fails. */
const TIMEOUT_MS = 30_000
const POLL_MS = 15

/** A person who uses a desk over HTTP. Each method rejects with the Problem's detail when the desk answers with a Problem. */
export class Owner {
  readonly #client: Client<paths>

  /** `baseUrl` is the address of the desk. `headers` say who the person is; a desk without sign-in needs none. */
  constructor(baseUrl: string, headers: Readonly<Record<string, string>> = {}) {
    this.#client = createClient<paths>({ baseUrl, headers, bodySerializer: (body) => stringifyJson(body) })
  }

  /** Uploads an input, waits for its scan, and gives its id. */
  async upload(body: CreateInputUploadRequest): Promise<string> {
    const created = succeeded(await this.#client.POST("/api/v1/uploads", { params: { header: key() }, body }))
    return this.#waitFor(`the scan of ${body.name}`, async () => {
      const { id, status } = succeeded(
        await this.#client.GET("/api/v1/uploads/{id}", { params: { path: { id: created.id } } }),
      )
      return status === "processing" ? undefined : id
    })
  }

  /** Creates Work. */
  async delegate(body: CreateWorkRequest): Promise<Work> {
    return succeeded(await this.#client.POST("/api/v1/work", { params: { header: key() }, body }))
  }

  /** Waits for the open clarification and answers it. */
  async answer(id: string, response: string): Promise<void> {
    const open = await this.waitForQuestion(id)
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
    const pending = await this.waitForApproval(id)
    const header = { ...key(), "If-Match": `"${String(pending.version)}"` }
    const path = { id, approval_id: pending.id }
    succeeded(
      await this.#client.POST("/api/v1/work/{id}/approvals/{approval_id}/resolve", { params: { path, header }, body }),
    )
  }

  /** Waits for an open clarification of the Work and gives it. */
  waitForQuestion(id: string) {
    return this.#waitFor(`the question of ${id}`, async () => {
      return succeeded(await this.#client.GET("/api/v1/work/{id}/attention", { params: { path: { id } } })).data[0]
    })
  }

  /** Waits for a pending approval of the Work and gives it. */
  waitForApproval(id: string) {
    return this.#waitFor(`the approval of ${id}`, async () => {
      const query = { status: "pending" as const }
      return succeeded(await this.#client.GET("/api/v1/work/{id}/approvals", { params: { path: { id }, query } }))
        .data[0]
    })
  }

  /** Waits until the Work has a status. */
  async waitForStatus(id: string, status: Work["status"]): Promise<void> {
    await this.#waitFor(`${id} to be ${status}`, async () => {
      const work = succeeded(await this.#client.GET("/api/v1/work/{id}", { params: { path: { id } } }))
      return work.status === status ? work : undefined
    })
  }

  async #waitFor<Value>(name: string, read: () => Promise<Value | undefined>): Promise<Value> {
    const deadline = performance.now() + TIMEOUT_MS
    for (;;) {
      const value = await read()
      if (value !== undefined) return value
      if (performance.now() > deadline) throw new Error(`timed out while waiting for ${name}`)
      await wait(POLL_MS)
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
