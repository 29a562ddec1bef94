/** Checks that an item belongs to the Work of its address, because the service may look only at the item's id, and that an upload is the person's. */
import { isRefusal, notFound } from "../../platform/http/refusals.ts"
import { addressOfWork, isAddressable, isOneSegment } from "../../platform/http/path-match.ts"
import { Refused } from "../../platform/http/send.ts"
import type { Origin } from "../../platform/http/request-context.ts"
import type { Session } from "../people/people-interface.ts"
import { uploadersOf } from "../record/creations.ts"
import { FRESH_MS, type VisibilityCheck, type VisibilityParts } from "./visibility-check.ts"
import { idsInList, NOT_FOUND, readForCheck, readIf, toFailure } from "./visibility-reads.ts"

/** Checks that uploads are the person's, with sign-in. Anybody with the role may use one of unknown origin. @throws Refused @throws StoreUnavailableError */
export async function checkUploads(
  visibility: VisibilityCheck,
  session: Session,
  ids: readonly string[],
  origin: Origin,
): Promise<void> {
  const { database, reads } = visibility.parts
  const checkUpload = async (id: string) => {
    const uploaders = await uploadersOf(database, id)
    if (uploaders.includes(session.person.id)) return
    if (!isAddressable(id) || !isOneSegment(id)) throw new Refused(notFound)
    const target = `/api/v1/uploads/${encodeURIComponent(id)}`
    const read = await readForCheck(reads, "getInputUpload", target, { origin })
    // A failure says nothing about whose upload it is, so it comes first.
    if (isRefusal(read) || (read.status >= 400 && read.status !== NOT_FOUND)) throw new Refused(read)
    if (read.status === NOT_FOUND || uploaders.length > 0) throw new Refused(notFound)
  }
  await visibility.delayNotFound(() => Promise.all(ids.map(checkUpload)))
}

/** Checks that an Artifact is the Work's, except for overseers. A refusal isn't delayed, because the person sees the Work. @throws Refused */
export async function checkArtifact(
  visibility: VisibilityCheck,
  session: Session,
  workId: string,
  artifactId: string,
  origin: Origin,
): Promise<void> {
  if (visibility.viewerOf(session).isOverseer) return
  if (!(await isListed(visibility.parts, "artifacts", workId, artifactId, origin))) throw new Refused(notFound)
}

/** Whether a clarification stands in the list of its Work. @throws Refused when the list cannot be read */
export async function isClarificationListed(
  parts: VisibilityParts,
  workId: string,
  id: string,
  origin: Origin,
): Promise<boolean> {
  const watched = parts.watcher.known(workId, FRESH_MS)
  return watched?.clarifications.some((item) => item.id === id) || isListed(parts, "attention", workId, id, origin)
}

async function isListed(
  { reads }: VisibilityParts,
  items: "attention" | "artifacts",
  workId: string,
  id: string,
  origin: Origin,
): Promise<boolean> {
  const operation = items === "attention" ? "listWorkAttention" : "listWorkArtifacts"
  const target = `${addressOfWork(workId)}/${items}`
  const read = await readForCheck(reads, operation, target, { origin })
  const ids = readIf(read, idsInList)
  if (ids === "failed") throw new Refused(toFailure(read))
  return ids !== "absent" && ids.includes(id)
}
