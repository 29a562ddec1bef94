/** What a preview shows of a result: by its media type, the whole content or its beginning. */
import { type QueryClient, queryOptions } from "@tanstack/react-query"
import type { Artifact } from "../../contract/resources.ts"
import { DeskError } from "../client/desk-error.ts"
import { retryInterval } from "../client/polling.ts"
import { lookUp } from "../ui/look-up.ts"
import { type AskedPreview, askPreviewWorker } from "./ask-preview-worker.ts"
import { readBeginning, readContentHash, readWhole, type Verdict } from "./read-artifact.ts"
import type { TextKind } from "./read-preview.ts"

/**
 * The largest content of each kind that is read whole, and how much is read of a larger one, in bytes. Within its deadline the worker parses
 * every honest text of this size.
 */
const LIMITS = {
  markdown: { whole: 50_000, beginning: 50_000 },
  text: { whole: 400_000, beginning: 400_000 },
  csv: { whole: 2_000_000, beginning: 1_000_000 },
  json: { whole: 2_000_000, beginning: 200_000 },
  image: { whole: 32_000_000, beginning: 0 },
}

export type PreviewKind = keyof typeof LIMITS

const kinds: Readonly<Record<string, PreviewKind>> = {
  "text/markdown": "markdown",
  "text/x-markdown": "markdown",
  "text/csv": "csv",
  "text/tab-separated-values": "csv",
  "application/json": "json",
  "application/x-ndjson": "text",
  "application/xml": "text",
  "application/yaml": "text",
  "application/x-yaml": "text",
  "application/toml": "text",
}

const byExtension: Readonly<Record<string, string>> = {
  md: "text/markdown",
  markdown: "text/markdown",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  json: "application/json",
  txt: "text/plain",
  log: "text/plain",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  svg: "image/svg+xml",
}

/** The media type for the preview, in lower case: that of the Artifact, or that of its name where the Artifact names none. */
function mediaTypeOf({ media_type: mediaType, path }: Artifact): string {
  const type = mediaType.split(";")[0]?.trim().toLowerCase() ?? ""
  if (type !== "" && type !== "application/octet-stream") return type
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? ""
  return lookUp(byExtension, extension) ?? ""
}

/** The kind of preview of an Artifact; undefined where only the download is offered, as for HTML. */
export function previewKind(artifact: Artifact): PreviewKind | undefined {
  const type = mediaTypeOf(artifact)
  const kind = lookUp(kinds, type)
  if (kind !== undefined) return kind
  if (type.endsWith("+json")) return "json"
  if (type.startsWith("image/")) return "image"
  return type.startsWith("text/") && type !== "text/html" ? "text" : undefined
}

/** The content of a preview. `whole` is false where only the beginning was read, which cannot be verified. */
export type PreviewSource =
  | {
      readonly content: AskedPreview
      /** How many bytes were read. */
      readonly bytes: number
      readonly whole: boolean
      readonly verdict: Verdict | undefined
    }
  | { readonly image: Blob; readonly verdict: Verdict }
  | { readonly unshowable: string }

/** A read that met a `Retry-After` is repeated after that time. No other failed read is repeated. */
const afterPause: typeof retryInterval = (query) =>
  query.state.error instanceof DeskError && query.state.error.retryAt !== undefined ? retryInterval(query) : false

/** The largest content that is kept as long as the tab, in bytes. Only such a content is shown on the page of its Work. */
export const KEPT_MAX_BYTES = 100_000n
/** Of more contents that nothing shows, the oldest are dropped. */
const KEPT_MAX = 100

const KEY = "artifact-content"

const isReadWhole = (artifact: Artifact, kind: PreviewKind): boolean => artifact.size <= BigInt(LIMITS[kind].whole)

/** What decides how a content is shown. Contents with an equal hash are read once, but only if the hash is checked: a beginning is not. */
function keyOf(artifact: Artifact, kind: PreviewKind) {
  const { work_id: workId, id, version, content_hash: hash, size, path, media_type: type } = artifact
  const known = isReadWhole(artifact, kind) ? readContentHash(hash) : undefined
  return known === undefined ? [workId, id, `${version}`, hash] : [known.algorithm, known.digest, `${size}`, path, type]
}

/** The content of an Artifact for a preview. A version never changes. */
export function previewOptions(artifact: Artifact, kind: PreviewKind) {
  return queryOptions({
    queryKey: [KEY, kind, ...keyOf(artifact, kind)],
    queryFn: ({ signal, client }) => {
      dropOldest(client)
      return read(artifact, kind, signal)
    },
    staleTime: Infinity,
    gcTime: artifact.size <= KEPT_MAX_BYTES ? Infinity : 30 * 60_000,
    retry: false,
    refetchInterval: afterPause,
    structuralSharing: false,
  })
}

function dropOldest(client: QueryClient): void {
  const cache = client.getQueryCache()
  const unused = cache.findAll({ queryKey: [KEY] }).filter((query) => query.getObserversCount() === 0)
  const byAge = unused.toSorted((one, other) => one.state.dataUpdatedAt - other.state.dataUpdatedAt)
  for (const query of byAge.slice(0, -KEPT_MAX)) cache.remove(query)
}

async function read(artifact: Artifact, kind: PreviewKind, signal: AbortSignal): Promise<PreviewSource> {
  if (!isReadWhole(artifact, kind)) {
    if (kind === "image") return { unshowable: "This file is too large to show. Download it instead." }
    return parse(artifact, kind, await readBeginning(artifact, LIMITS[kind].beginning, signal), undefined, signal)
  }
  const { blob, verdict } = await readWhole(artifact, { signal })
  if (kind === "image") return { image: new Blob([blob], { type: mediaTypeOf(artifact) }), verdict }
  return parse(artifact, kind, new Uint8Array(await blob.arrayBuffer()), verdict, signal)
}

async function parse(
  artifact: Artifact,
  kind: TextKind,
  bytes: Uint8Array,
  verdict: Verdict | undefined,
  signal: AbortSignal,
): Promise<PreviewSource> {
  // Only a whole content has a verdict.
  const whole = verdict !== undefined
  const text = decode(bytes, whole)
  if (text === undefined) return { unshowable: "This isn't UTF-8 text. Download it instead." }
  if (text === "") return { unshowable: "This file is empty." }
  const request = { kind, text, whole, mediaType: mediaTypeOf(artifact), name: artifact.path }
  return { content: await askPreviewWorker(request, signal), bytes: bytes.length, whole, verdict }
}

/** Decodes UTF-8; undefined where the bytes are something else. A beginning may end within a character, which `stream` leaves out. */
function decode(bytes: Uint8Array, whole: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !whole })
  } catch {
    return undefined
  }
}
