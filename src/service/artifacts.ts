/** The handlers of listWorkArtifacts and downloadWorkArtifact. */
import { create as contentDisposition } from "content-disposition"
import { contentHash, optional, timestamp } from "./api-values.ts"
import type { Artifact } from "../contract/resources.ts"
import { demonstrationOf } from "./demonstration.ts"
import type { ServiceContext } from "./context.ts"
import { entityTag, handler, reading } from "./http/handler.ts"
import { ProblemError, policyBlocked, visible } from "./problems.ts"
import { bytes, int64, integer, oneOf, optionalText, type Row, text } from "./store/sqlite-row.ts"

const COLUMNS = "id, work_id, path, media_type, size, content_hash, version, processing_state, failure_code, created_at"

const STATES = ["processing", "available", "quarantined", "scan_failed", "failed", "expired"] as const

// The latest version of each path, in the order in which the paths first appeared.
const LATEST = `
  SELECT ${COLUMNS} FROM artifact AS latest
  WHERE work_id = ? AND version = (SELECT max(version) FROM artifact WHERE work_id = latest.work_id AND path = latest.path)
  ORDER BY (SELECT number FROM artifact WHERE work_id = latest.work_id AND path = latest.path AND version = 1)`

export function artifactHandlers({ store, configuration, state }: ServiceContext) {
  return {
    listWorkArtifacts: reading("listWorkArtifacts", ({ path, credential }) => {
      const workId = text(state.find(path("id"), credential), "id")
      return { body: { data: store.all(LATEST, workId).map(toArtifact) } }
    }),

    downloadWorkArtifact: handler("downloadWorkArtifact", ({ path, credential }) => {
      const work = state.find(path("id"), credential)
      const byId = "SELECT * FROM artifact WHERE work_id = ? AND id = ?"
      const row = visible(store.get(byId, text(work, "id"), path("artifact_id")))
      const artifact = toArtifact(row)
      const body = bytes(row, "content")
      checkDownload(artifact, body, demonstrationOf(configuration.current).blocksArtifacts(text(work, "objective")))
      const name = artifact.path.split("/").at(-1)
      const headers = { ETag: entityTag(artifact.version), "Content-Disposition": contentDisposition(name) }
      return { kind: "bytes", body, headers }
    }),
  }
}

/** Checks in this order: the final state, the data policy, the scan, the hash. @throws ProblemError 409, or 422 of the data policy */
function checkDownload(artifact: Artifact, content: Uint8Array, isBlocked: boolean): void {
  const { path, processing_state: state, failure_code: failureCode, content_hash: hash } = artifact
  if (state !== "available" && state !== "processing") {
    throw new ProblemError("ARTIFACT_NOT_AVAILABLE", `${path} can't be downloaded: its state is ${state}`, {
      failureCode,
    })
  }
  if (isBlocked) throw policyBlocked(`the download of ${path}`)
  if (state === "processing") {
    const detail = `${path} is still being scanned`
    throw new ProblemError("ARTIFACT_NOT_AVAILABLE", detail, { failureCode, retryable: true, retryAfter: 1 })
  }
  if (contentHash(content) !== hash)
    throw new ProblemError("ARTIFACT_DAMAGED", `${path} is damaged: it no longer matches its content_hash`)
}

function toArtifact(row: Row): Artifact {
  return {
    id: text(row, "id"),
    work_id: text(row, "work_id"),
    path: text(row, "path"),
    media_type: text(row, "media_type"),
    size: int64(row, "size"),
    content_hash: text(row, "content_hash"),
    version: int64(row, "version"),
    created_at: timestamp(integer(row, "created_at")),
    processing_state: oneOf(row, "processing_state", STATES),
    ...optional("failure_code", optionalText(row, "failure_code")),
  }
}
