/** Starts a service for a test. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, onTestFinished, vi } from "vitest"
import type { Log } from "../../platform/log.ts"
import { ALL_SCOPES } from "../configuration.ts"
import type { ColleagueLimits } from "../execution/colleague-pool.ts"
import { type RunningService, startService } from "../embedded-service.ts"
import { type Answer, call, type Call, listOf, newKey, open, textOf } from "./client.ts"

/** Tokens of the accounts that tests use. */
export const ALICE = "token-alice"
export const BOB = "token-bob"
export const NOBODY = "token-without-scopes"

export const credentials = [
  { token: ALICE, account: "sa_alice", owner: "owner_alice", scopes: ALL_SCOPES },
  { token: BOB, account: "sa_bob", owner: "owner_bob", scopes: ALL_SCOPES, colleagues: ["analyst"] },
  { token: NOBODY, account: "sa_alice", owner: "owner_alice", scopes: [] },
]

/** The URL of the module with the colleagues of the product. */
export const COLLEAGUES = new URL("../colleagues/registry.ts", import.meta.url).href

const PLENTY = {
  readPerMinute: 1e9,
  writePerMinute: 1e9,
  unauthenticatedPerMinute: 1e9,
  streamsPerCredential: 1e4,
  activeWork: 1e6,
}

type Settings = {
  /** These keys replace the defaults: the credentials above, `pace` 0 and limits that no test reaches by chance. */
  readonly configuration?: { readonly limits?: Readonly<Record<string, number>> } & Readonly<Record<string, unknown>>
  readonly dataFolder?: string
  /** The URL of a module that exports colleagues. Left out: the colleagues of the product. */
  readonly registry?: string
  readonly colleagueLimits?: ColleagueLimits
  readonly log?: Log
  readonly retentionDays?: number
}

/** A service of a test's own on a free port, with the steps that many tests begin with. */
export class TestService {
  readonly #running: RunningService
  readonly #ownFolder: string

  /** `ownFolder` holds the configuration file. It is removed when the service stops. */
  constructor(running: RunningService, ownFolder: string) {
    this.#running = running
    this.#ownFolder = ownFolder
  }

  get configFile(): string {
    return configFileIn(this.#ownFolder)
  }

  get url(): string {
    return this.#running.url
  }

  get running(): RunningService {
    return this.#running
  }

  async stop(): Promise<void> {
    await this.#running.stop()
    await removeFolder(this.#ownFolder)
  }

  get(target: string, options: Call = {}): Promise<Answer> {
    return call(this.url, "GET", target, { token: ALICE, ...options })
  }

  /** Posts with a new key unless the call has its own. */
  post(target: string, body: unknown, options: Call = {}): Promise<Answer> {
    return call(this.url, "POST", target, { token: ALICE, key: newKey(), body, ...options })
  }

  /** Creates an upload and returns its id. */
  async upload(name: string, content: string, mediaType = "text/csv"): Promise<string> {
    const answer = await this.post("/api/v1/uploads", { name, content, media_type: mediaType })
    expect(answer.status, answer.text).toBe(201)
    return textOf(answer.body, "id")
  }

  /** Creates Work and returns its id. */
  async work(fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const answer = await this.post("/api/v1/work", {
      colleague_id: "analyst",
      objective: "Profile the file",
      ...fields,
    })
    expect(answer.status, answer.text).toBe(201)
    return textOf(answer.body, "id")
  }

  /** Waits for the first item of a Work's list (`attention`, `approvals?status=pending`, `artifacts`) and returns its id. */
  first(workId: string, list: string): Promise<string> {
    return eventually(async () => {
      const { body } = await this.get(`/api/v1/work/${workId}/${list}`)
      return textOf(listOf(body)[0], "id")
    })
  }

  /** Answers the Work's open clarification. */
  async answer(workId: string, response = "the first one"): Promise<Answer> {
    const id = await this.first(workId, "attention")
    return this.post(`/api/v1/work/${workId}/attention/${id}/resolve`, { response }, { ifMatch: '"1"' })
  }

  /** Decides the Work's pending approval. */
  async decide(workId: string, decision: "approve" | "decline"): Promise<Answer> {
    const id = await this.first(workId, "approvals?status=pending")
    return this.post(`/api/v1/work/${workId}/approvals/${id}/resolve`, { decision }, { ifMatch: '"1"' })
  }

  /** The contents of a Work's Artifacts, by path. */
  async results(workId: string): Promise<Map<string, string>> {
    const artifacts = listOf((await this.get(`/api/v1/work/${workId}/artifacts`)).body)
    const downloads = artifacts.map(async (artifact): Promise<[string, string]> => {
      const answer = await this.get(`/api/v1/work/${workId}/artifacts/${textOf(artifact, "id")}/content`)
      expect(answer.status, answer.text).toBe(200)
      return [textOf(artifact, "path"), answer.text]
    })
    return new Map(await Promise.all(downloads))
  }

  /** The event stream of a Work from its first event to `work.done`. */
  async eventsUntilDone(workId: string): Promise<string> {
    const stream = await open(this.url, "GET", `/api/v1/work/${workId}/events`, { token: ALICE })
    let text = ""
    for await (const piece of stream) {
      text += String(piece)
      if (text.includes("event: work.done")) break
    }
    return text
  }

  /** Waits until the Work has a status. */
  until(workId: string, status: string): Promise<unknown> {
    return eventually(async () => {
      const { body } = await this.get(`/api/v1/work/${workId}`)
      expect(textOf(body, "status")).toBe(status)
      return body
    })
  }
}

/** Starts a service on a data folder, or without one on `:memory:`. The caller stops the service. */
export async function startTestService(settings: Settings = {}): Promise<TestService> {
  const { configuration, dataFolder = ":memory:", registry = COLLEAGUES, ...others } = settings
  const { limits, ...rest } = configuration ?? {}
  const ownFolder = await makeFolder()
  try {
    const configFile = configFileIn(ownFolder)
    await writeFile(configFile, JSON.stringify({ credentials, pace: 0, ...rest, limits: { ...PLENTY, ...limits } }))
    const running = await startService({ host: "127.0.0.1", port: 0, dataFolder, configFile, registry, ...others })
    return new TestService(running, ownFolder)
  } catch (error) {
    await removeFolder(ownFolder)
    throw error
  }
}

/** Starts a service as startTestService does, and stops the service when the test is over. */
export async function serviceForTest(settings: Settings = {}): Promise<TestService> {
  const service = await startTestService(settings)
  onTestFinished(() => service.stop())
  return service
}

/** Changes the database in a service's data folder, as no operation of the API can. */
export function execute(dataFolder: string, sql: string): void {
  using database = new DatabaseSync(join(dataFolder, "service.db"))
  database.exec(sql)
}

/** A new folder, removed when the test is over. */
export async function folderForTest(): Promise<string> {
  const folder = await makeFolder()
  onTestFinished(() => removeFolder(folder))
  return folder
}

/** Makes a folder below the system's temporary one. The caller removes the folder with `removeFolder`. */
export function makeFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "workdesk-service-"))
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
}

function configFileIn(folder: string): string {
  return join(folder, "config.json")
}

/** Repeats `look` until it does not throw, 20 seconds at most, and returns its value. */
export async function eventually<Value>(look: () => Promise<Value>): Promise<Value> {
  return vi.waitFor(look, { timeout: 20_000, interval: 10 })
}
