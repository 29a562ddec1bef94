import { randomUUID } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
import createClient, { type Client } from "openapi-fetch"
import { stringifyJson } from "../contract/int64.ts"
import type {
  CreateInputUploadRequest,
  CreateWorkRequest,
  ResolveApprovalRequest,
  Work,
} from "../contract/resources.ts"
import type { paths } from "../contract/schema.d.ts"

/** The longest wait for a colleague or for the desk. After that the filling fails. */
const TIMEOUT_MS = 60_000
const POLL_MS = 15

/** A person who uses a desk, or the service itself, over HTTP. Each method rejects with the Problem's detail when the desk answers with a Problem. */
export class Owner {
  /** For requests that no method makes. */
  readonly client: Client<paths>
  readonly #baseUrl: string
  readonly #headers: Readonly<Record<string, string>>

  /** `baseUrl` is the address of the desk. `headers` say who the person is; a desk without sign-in needs none. */
  constructor(baseUrl: string, headers: Readonly<Record<string, string>> = {}) {
    this.client = createClient<paths>({ baseUrl, headers, bodySerializer: (body) => stringifyJson(body) })
    this.#baseUrl = baseUrl
    this.#headers = headers
  }

  /** Uploads an input, waits for its scan, and returns its id. */
  async upload(body: CreateInputUploadRequest): Promise<string> {
    const { id } = succeeded(await this.client.POST("/api/v1/uploads", { params: { header: key() }, body }))
    return waitFor(`the scan of ${body.name}`, async () => {
      const upload = succeeded(await this.client.GET("/api/v1/uploads/{id}", { params: { path: { id } } }))
      return upload.status === "processing" ? undefined : id
    })
  }

  /** Creates Work. */
  async delegate(body: CreateWorkRequest): Promise<Work> {
    return succeeded(await this.client.POST("/api/v1/work", { params: { header: key() }, body }))
  }

  /** Waits for the open clarification and answers it. */
  async answer(id: string, response: string): Promise<void> {
    const open = await this.waitForQuestion(id)
    const params = { path: { id, attention_id: open.id }, header: { ...key(), "If-Match": `"${open.version}"` } }
    const path = "/api/v1/work/{id}/attention/{attention_id}/resolve"
    succeeded(await this.client.POST(path, { params, body: { response } }))
  }

  /** Waits for the pending approval and decides it. `wantsChange`: the decline asks for a change. */
  async decide(id: string, body: ResolveApprovalRequest, wantsChange = false): Promise<void> {
    const pending = await this.waitForApproval(id)
    const params = { path: { id, approval_id: pending.id }, header: { ...key(), "If-Match": `"${pending.version}"` } }
    const headers = wantsChange ? { "desk-wants-change": "true" } : {}
    succeeded(await this.client.POST("/api/v1/work/{id}/approvals/{approval_id}/resolve", { params, headers, body }))
  }

  /** Waits for an open clarification of the Work and returns it. */
  waitForQuestion(id: string) {
    const params = { path: { id } }
    return waitFor(`the question of ${id}`, async () => {
      return succeeded(await this.client.GET("/api/v1/work/{id}/attention", { params })).data[0]
    })
  }

  /** Waits for a pending approval of the Work and returns it. */
  waitForApproval(id: string) {
    const params = { path: { id }, query: { status: "pending" as const } }
    return waitFor(`the approval of ${id}`, async () => {
      return succeeded(await this.client.GET("/api/v1/work/{id}/approvals", { params })).data[0]
    })
  }

  /** Waits until the Work has a status. */
  async waitForStatus(id: string, status: Work["status"]): Promise<void> {
    await waitFor(`${id} to be ${status}`, async () => {
      const work = succeeded(await this.client.GET("/api/v1/work/{id}", { params: { path: { id } } }))
      return work.status === status ? work : undefined
    })
  }

  /** Sends to an address of the desk itself. Repeats the request until the desk has read the item that the body names, for a minute at most. */
  async putWhenReady(path: string, version: string, body: object): Promise<void> {
    await this.#sendToDesk("PUT", path, { "Content-Type": "application/json", "If-Match": `"${version}"` }, body)
  }

  /** Freezes a colleague, and ends the freeze. */
  async freezeForAMoment(colleague: string, reason: string): Promise<void> {
    await this.#sendToDesk("PUT", "/desk/freeze", { "Content-Type": "application/json" }, { colleague, reason })
    await this.#sendToDesk("DELETE", `/desk/freeze?colleague=${encodeURIComponent(colleague)}`)
  }

  async #sendToDesk(
    method: "PUT" | "DELETE",
    path: string,
    more: Readonly<Record<string, string>> = {},
    body?: object,
  ): Promise<void> {
    const headers = { ...this.#headers, ...more }
    const request = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    await waitFor(`the desk to accept ${method} ${path}`, async () => {
      return (await fetch(this.#baseUrl + path, request)).ok ? true : undefined
    })
  }
}

async function waitFor<Value>(name: string, read: () => Promise<Value | undefined>): Promise<Value> {
  for (const deadline = performance.now() + TIMEOUT_MS; ; await wait(POLL_MS)) {
    const value = await read()
    if (value !== undefined) return value
    if (performance.now() > deadline) throw new Error(`timed out while waiting for ${name}`)
  }
}

const key = () => ({ "Idempotency-Key": randomUUID() })

type Answer<Data> = { data?: Data; error?: { detail?: string }; response: Response }

function succeeded<Data>({ data, error, response }: Answer<Data>): Data {
  if (data !== undefined) return data
  throw new Error(`${response.url} answered ${response.status}: ${error?.detail ?? "no Problem"}`)
}
