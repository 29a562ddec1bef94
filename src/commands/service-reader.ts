/** Reads one Work and its approvals for a command: from the upstream, or from the file of the embedded service. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { DeskConfiguration, UpstreamConfiguration } from "../proxy/desk-configuration.ts"
import { CommandError } from "./command.ts"

export type ServiceReader = {
  /** The answer to getWork as JSON. Undefined when there is no such Work. */
  readonly readWork: (id: string) => Promise<string | undefined>
  /** The answer to listWorkApprovals as JSON. */
  readonly readApprovals: (workId: string) => Promise<string>
}

export function openServiceReader({ upstream, dataFolder }: DeskConfiguration): ServiceReader {
  return upstream === undefined ? readEmbedded(join(dataFolder, "service", "service.db")) : readUpstream(upstream)
}

const READ_MS = 20_000

function readUpstream({ baseUrl, token }: UpstreamConfiguration): ServiceReader {
  const read = async (path: string): Promise<string | undefined> => {
    const headers = token.authorize({ accept: "application/json" })
    const signal = AbortSignal.timeout(READ_MS)
    const answer = await fetch(`${baseUrl}/api/v1/work/${path}`, { headers, redirect: "error", signal }).catch(
      () => undefined,
    )
    if (answer?.status === 404) return undefined
    if (answer?.status !== 200)
      throw new CommandError(`The service does not answer the question: ${answer?.status ?? "it cannot be reached"}`)
    return answer.text()
  }
  return {
    readWork: (id) => read(encodeURIComponent(id)),
    readApprovals: async (workId) => (await read(`${encodeURIComponent(workId)}/approvals`)) ?? '{"data":[]}',
  }
}

/** The embedded service answers its own desk alone, so its file is read. */
function readEmbedded(file: string): ServiceReader {
  const read = async (sql: string, id: string) => {
    if (!existsSync(file)) return []
    using store = new DatabaseSync(file, { readOnly: true })
    return store.prepare(sql).all(id)
  }
  return {
    async readWork(id) {
      const [work] = await read("SELECT id, visibility_scope, colleague_id FROM work WHERE id = ?", id)
      return work && JSON.stringify(work)
    },
    async readApprovals(workId) {
      const columns = "id, work_id, status, version, requested_by_colleague, destination, summary, subject"
      return JSON.stringify({ data: await read(`SELECT ${columns} FROM approval WHERE work_id = ?`, workId) })
    },
  }
}
