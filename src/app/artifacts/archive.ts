import { Zip, ZipPassThrough } from "fflate"
import type { Artifact } from "../../contract/resources.ts"
import { readWhole } from "./artifact-content.ts"
import { archivePaths } from "../ui/safe-name.ts"

/** What the ZIP format holds without its 64-bit extension, which fflate does not write. */
export const ARCHIVE_MAX_BYTES = 4_000_000_000n

/** A failure while an archive was made, with the Artifact at which it happened. */
export class ArchiveFailure extends Error {
  override readonly name = "ArchiveFailure"
  readonly artifact: Artifact
  constructor(artifact: Artifact, cause: unknown) {
    super("The archive could not be made", { cause })
    this.artifact = artifact
  }
}

/**
 * Reads every Artifact, each of them checked, and makes one archive of them with folders as their paths say. Nothing is
 * compressed: the contents are on their way within one machine, and time is dearer than room.
 *
 * @throws ArchiveFailure at the first that cannot be read or is not what it says
 */
export async function makeArchive(
  artifacts: readonly Artifact[],
  { signal, onProgress }: { signal: AbortSignal; onProgress: (done: number, bytes: number) => void },
): Promise<{ readonly blob: Blob; readonly unverified: readonly string[] }> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const unverified: string[] = []
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error
    // A view on a shared buffer would change under the Blob; fflate's types do not say that it has none.
    chunks.push(new Uint8Array(chunk))
  })
  const names = archivePaths(artifacts.map(({ path }) => path))
  let before = 0
  for (const [index, artifact] of artifacts.entries()) {
    const at = before
    const onBytes = (bytes: number) => onProgress(index, at + bytes)
    const content = await readWhole(artifact, { signal, onBytes }).catch((cause: unknown) => {
      throw new ArchiveFailure(artifact, cause)
    })
    if ("unverified" in content.verdict) unverified.push(artifact.path)
    const entry = new ZipPassThrough(names[index] ?? artifact.id)
    entry.mtime = momentOf(artifact)
    zip.add(entry)
    for await (const chunk of content.blob.stream()) entry.push(chunk)
    entry.push(new Uint8Array(), true)
    before += content.bytes
  }
  zip.end()
  return { blob: new Blob(chunks, { type: "application/zip" }), unverified }
}

/** The moment of an Artifact, or now: ZIP knows none before 1980 nor after 2099. */
function momentOf({ created_at: createdAt }: Artifact): Date {
  const moment = new Date(createdAt)
  const year = moment.getFullYear()
  return year >= 1980 && year <= 2099 ? moment : new Date()
}
