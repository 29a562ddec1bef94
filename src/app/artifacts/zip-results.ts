import { Zip, ZipPassThrough } from "fflate"
import type { Artifact } from "../../contract/resources.ts"
import { type Algorithm, ContentError, readWhole } from "./read-artifact.ts"
import { archivePaths } from "../ui/save-file.ts"

/** The most that a ZIP file holds without its 64-bit extension, which fflate does not write. */
const ARCHIVE_MAX_BYTES = 4_000_000_000n

/** Why no archive was made, and which Artifact is the reason. */
export class ArchiveFailure extends Error {
  override readonly name = "ArchiveFailure"
  readonly path: string
  constructor(path: string, cause: unknown) {
    super("The archive couldn't be created", { cause })
    this.path = path
  }
}

/** An archive, the hash algorithms that were checked, and the paths of the Artifacts without a hash that could be checked. */
type Archive = {
  readonly blob: Blob
  readonly algorithms: readonly Algorithm[]
  readonly unverified: readonly string[]
}

/**
 * Reads and checks every Artifact, and makes one archive of them with the folders of their paths. Nothing is compressed, because
 * compressing takes longer than sending.
 *
 * @throws ArchiveFailure at the first Artifact that cannot be read or has wrong content; ContentError where all are too large together
 */
export async function makeArchive(
  artifacts: readonly Artifact[],
  { signal, onProgress }: { signal: AbortSignal; onProgress: (done: number, bytes: number) => void },
): Promise<Archive> {
  if (artifacts.reduce((sum, { size }) => sum + size, 0n) > ARCHIVE_MAX_BYTES) throw new ContentError("too-large")
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const algorithms = new Set<Algorithm>()
  const unverified: string[] = []
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error
    // A copy, because fflate's types do not say whether it reuses the buffer.
    chunks.push(new Uint8Array(chunk))
  })
  const names = archivePaths(artifacts.map(({ path }) => path))
  let bytesOfEarlier = 0
  for (const [index, artifact] of artifacts.entries()) {
    const start = bytesOfEarlier
    const onBytes = (bytes: number) => onProgress(index, start + bytes)
    const content = await readWhole(artifact, { signal, onBytes }).catch((cause: unknown) => {
      throw new ArchiveFailure(artifact.path, cause)
    })
    if ("unverified" in content.verdict) unverified.push(artifact.path)
    else algorithms.add(content.verdict.verified)
    const entry = new ZipPassThrough(names[index] ?? artifact.id)
    entry.mtime = modifiedAt(artifact)
    zip.add(entry)
    for await (const chunk of content.blob.stream()) entry.push(chunk)
    entry.push(new Uint8Array(), true)
    bytesOfEarlier += content.bytes
  }
  zip.end()
  return { blob: new Blob(chunks, { type: "application/zip" }), algorithms: [...algorithms], unverified }
}

/** The time of an Artifact; now where ZIP cannot hold that time, because it is before 1980 or after 2099. */
function modifiedAt({ created_at: createdAt }: Artifact): Date {
  const moment = new Date(createdAt)
  const year = moment.getFullYear()
  return year >= 1980 && year <= 2099 ? moment : new Date()
}
