import { queryOptions } from "@tanstack/react-query"
import type { Artifact } from "../../contract/resources.ts"
import { DeskError } from "../client/desk-error.ts"
import { retryInterval } from "../client/polling.ts"
import { readBeginning, readWhole, type Verdict } from "./artifact-content.ts"
import { previewMediaType, type PreviewKind } from "./preview-kind.ts"

/** The content of a preview. `whole` is false where only the beginning was read, which cannot be verified. */
export type PreviewSource =
  | { readonly text: string; readonly whole: boolean; readonly verdict: Verdict | undefined }
  | { readonly image: Blob; readonly verdict: Verdict }
  | { readonly unshowable: string }

/**
 * The largest content that is read whole. Of a larger content the first `BEGINNING_BYTES` are read. The slowest text of this size that was
 * found takes a parser half a second.
 */
const WHOLE_BYTES: Readonly<Record<PreviewKind, number>> = {
  markdown: 50_000,
  text: 400_000,
  csv: 2_000_000,
  json: 2_000_000,
  image: 32_000_000,
}
const BEGINNING_BYTES: Readonly<Record<Exclude<PreviewKind, "image">, number>> = {
  markdown: 50_000,
  text: 400_000,
  csv: 1_000_000,
  json: 200_000,
}

/** A read that met a `Retry-After` is repeated after that time. No other failed read is repeated. */
const afterPause: typeof retryInterval = (query) =>
  query.state.error instanceof DeskError && query.state.error.retryAt !== undefined ? retryInterval(query) : false

/** The content of an Artifact for a preview, kept for a while. A version never changes. */
export function previewOptions(artifact: Artifact, kind: PreviewKind) {
  return queryOptions({
    queryKey: ["artifact-content", artifact.work_id, artifact.id, `${artifact.version}`, artifact.content_hash, kind],
    queryFn: ({ signal }) => read(artifact, kind, signal),
    staleTime: Infinity,
    gcTime: 30 * 60_000,
    retry: false,
    refetchInterval: afterPause,
    structuralSharing: false,
  })
}

async function read(artifact: Artifact, kind: PreviewKind, signal: AbortSignal): Promise<PreviewSource> {
  const whole = artifact.size <= BigInt(WHOLE_BYTES[kind])
  if (kind === "image") {
    if (!whole) return { unshowable: "It is too large to be shown here. Download it instead." }
    const { blob, verdict } = await readWhole(artifact, { signal })
    return { image: new Blob([blob], { type: previewMediaType(artifact) }), verdict }
  }
  if (!whole) {
    const bytes = await readBeginning(artifact, BEGINNING_BYTES[kind], signal)
    return textOf(bytes, false, undefined)
  }
  const { blob, verdict } = await readWhole(artifact, { signal })
  return textOf(new Uint8Array(await blob.arrayBuffer()), true, verdict)
}

/** Decodes UTF-8 and throws on anything else. A beginning may end within a character, which `stream` leaves out. */
function textOf(bytes: Uint8Array, whole: boolean, verdict: Verdict | undefined): PreviewSource {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !whole })
    return { text, whole, verdict }
  } catch {
    return { unshowable: "This is not UTF-8 text, although its type says so. Download it instead." }
  }
}
