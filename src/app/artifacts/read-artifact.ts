/** Reads the content of Artifacts and checks it against the size and hash that the Artifact names. */
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js"
import { queryOptions } from "@tanstack/react-query"
import type { Artifact } from "../../contract/resources.ts"
import { DeskError } from "../client/desk-error.ts"
import { writePath } from "../client/desk-request.ts"
import { openLongRead, readChunks } from "../client/long-read.ts"
import { pollInterval } from "../client/polling.ts"
import { unreadOf } from "../client/check-resource.ts"
import { readArtifacts, workKey } from "../client/work-reads.ts"
import { formatNumber, plural } from "../../contract/plural.ts"

/** The result of checking a whole content. `unverified` says why only the size could be checked. */
export type Verdict = { readonly verified: Algorithm } | { readonly unverified: string }

type WholeContent = { readonly blob: Blob; readonly bytes: number; readonly verdict: Verdict }

/** A content that arrived and does not match its Artifact. */
export class ContentError extends Error {
  override readonly name = "ContentError"
  readonly kind: "cut" | "wrong-size" | "wrong-hash" | "failed" | "too-large"
  /** The content whose hash of an unnamed algorithm does not match. It may be right under another algorithm, so the person may save it. */
  readonly doubtful: Blob | undefined

  constructor(kind: ContentError["kind"], message = "", doubtful?: Blob) {
    super(message)
    this.kind = kind
    this.doubtful = doubtful
  }
}

/** The error of a download or a preview for a person. An error that nobody foresaw, such as too little memory, is shown too. */
export function errorToShow(error: unknown): DeskError | ContentError {
  if (error instanceof DeskError || error instanceof ContentError) return error
  return new ContentError("failed", error instanceof Error ? error.message : String(error))
}

/** The size at which the chunks become a Blob, which the browser may keep on the disk. */
const BATCH_BYTES = 8_000_000

/**
 * Reads the whole content of an Artifact. It checks the size, and the hash where the form of `content_hash` is known.
 *
 * @throws DeskError when the request is refused or not answered; ContentError when the content is cut or wrong; what fetch throws on abort
 */
export async function readWhole(
  artifact: Artifact,
  { signal, onBytes }: { signal: AbortSignal; onBytes?: (bytes: number) => void },
): Promise<WholeContent> {
  const expected = readContentHash(artifact.content_hash)
  const checking = expected && { expected, digest: hashes[expected.algorithm].create() }
  const parts: Blob[] = []
  let batch: Uint8Array<ArrayBuffer>[] = []
  let batchBytes = 0
  let bytes = 0
  for await (const chunk of chunksOf(artifact, signal)) {
    checking?.digest.update(chunk)
    batch.push(chunk)
    batchBytes += chunk.length
    bytes += chunk.length
    onBytes?.(bytes)
    if (batchBytes < BATCH_BYTES) continue
    parts.push(new Blob(batch))
    batch = []
    batchBytes = 0
  }
  const blob = new Blob([...parts, ...batch], { type: "application/octet-stream" })
  if (BigInt(bytes) !== artifact.size) {
    const message = `${plural(bytes, "byte")} arrived instead of ${formatNumber(artifact.size)}.`
    throw new ContentError(BigInt(bytes) < artifact.size ? "cut" : "wrong-size", message)
  }
  if (checking === undefined) return { blob, bytes, verdict: { unverified: "its hash type is unknown" } }
  const { algorithm, isAlgorithmNamed } = checking.expected
  const actual = checking.digest.digest().toHex()
  if (actual === checking.expected.digest) return { blob, bytes, verdict: { verified: algorithm } }
  const message = `Its ${algorithm} is ${actual} instead of ${artifact.content_hash}.`
  throw new ContentError("wrong-hash", message, isAlgorithmNamed ? undefined : blob)
}

/** Reads the first `limit` bytes of an Artifact and no more. Such a beginning cannot be checked. */
export async function readBeginning(artifact: Artifact, limit: number, signal: AbortSignal): Promise<Uint8Array> {
  const beginning = new Uint8Array(limit)
  let bytes = 0
  for await (const chunk of chunksOf(artifact, signal)) {
    const wanted = chunk.subarray(0, limit - bytes)
    beginning.set(wanted, bytes)
    bytes += wanted.length
    if (bytes === limit) break
  }
  return beginning.subarray(0, bytes)
}

/** The chunks of the content as they arrive (openapi.yaml, downloadWorkArtifact). Leaving the loop ends the request. */
async function* chunksOf(
  { work_id, id, size }: Artifact,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const address = writePath("/api/v1/work/{id}/artifacts/{artifact_id}/content", { id: work_id, artifact_id: id })
  const response = await openLongRead(address, "application/octet-stream, application/problem+json", signal)
  let bytes = 0
  try {
    for await (const chunk of readChunks(response)) {
      bytes += chunk.length
      yield chunk
    }
  } catch (error) {
    if (!(error instanceof DeskError)) throw error
    throw new ContentError("cut", `The connection ended after ${formatNumber(bytes)} of ${plural(size, "byte")}.`)
  }
}

/** These hash a content in chunks. WebCrypto needs the whole content in memory, and a secure context. */
const hashes = { "SHA-256": sha256, "SHA-384": sha384, "SHA-512": sha512 } as const

export type Algorithm = keyof typeof hashes

type ExpectedHash = {
  readonly algorithm: Algorithm
  /** Hexadecimal digits, in lower case. */
  readonly digest: string
  /** False for bare hexadecimal digits, which are probably a SHA-256 but do not say so. */
  readonly isAlgorithmNamed: boolean
}

const byBits: Readonly<Record<string, Algorithm>> = { "256": "SHA-256", "384": "SHA-384", "512": "SHA-512" }
const BITS_OF_BARE_DIGITS = "256"

/**
 * Reads a `content_hash`, whose form openapi.yaml leaves open: the hexadecimal digits of a SHA-2 after its name (`sha256:…`), or those of a SHA-256
 * alone. Undefined for any other form.
 */
export function readContentHash(text: string): ExpectedHash | undefined {
  const [, namedBits, digits = ""] = /^(?:sha-?(256|384|512)\s*[:=-]\s*)?([0-9a-f]+)$/i.exec(text.trim()) ?? []
  const algorithm = byBits[namedBits ?? BITS_OF_BARE_DIGITS]
  if (algorithm === undefined || digits.length !== hashes[algorithm].outputLen * 2) return undefined
  return { algorithm, digest: digits.toLowerCase(), isAlgorithmNamed: namedBits !== undefined }
}

/** The paces of the reads, in milliseconds: fast while a result is being processed. Else slow, because an event has the list read again. */
const PROCESSING_PACE = pollInterval({ fast: 1_000, slow: 5_000 })
const QUIET_PACE = pollInterval({ fast: 30_000, slow: 60_000 })

export const artifactsKey = (workId: string) => [...workKey(workId), "artifacts"] as const

/** The results of a Work: the latest version of each path. */
export const artifactsOptions = (workId: string) =>
  queryOptions<readonly Artifact[], DeskError>({
    queryKey: artifactsKey(workId),
    queryFn: ({ signal }) => readArtifacts(workId, signal),
    refetchInterval: (query) =>
      query.state.data?.some(isProcessing) === true ? PROCESSING_PACE(query) : QUIET_PACE(query),
  })

/** Whether a result can be downloaded: its state is `available`, or it has no state (openapi.yaml, Artifact). */
export function isAvailable(artifact: Artifact): boolean {
  if (unreadOf(artifact) !== undefined) return false
  const { processing_state: state } = artifact
  return state === undefined || state === "available"
}

function isProcessing({ processing_state: state }: Artifact): boolean {
  return state === "processing"
}
