import { queryOptions, useQuery } from "@tanstack/react-query"
import { useCallback, useState } from "react"
import type { Artifact } from "../../contract/resources.ts"
import { DeskError } from "../client/desk-error.ts"
import { retryInterval } from "../client/polling.ts"
import { Button } from "../ui/button.tsx"
import { formatBytes } from "../ui/save-file.ts"
import { Callout } from "../ui/callout.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { lookUp } from "../ui/look-up.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { part } from "../ui/part.tsx"
import { DownloadError, VerdictLine } from "./download.tsx"
import { JsonPreview, TextPreview } from "./preview-text.tsx"
import styles from "./preview.module.css"
import { errorToShow, readBeginning, readWhole, type Verdict } from "./read-artifact.ts"

const loading = () => <p className="soft">Reading the result…</p>
const MarkdownPreview = part("The preview", async () => (await import("./preview-markdown.tsx")).MarkdownPreview, {
  loading,
})
const CsvPreview = part("The preview", async () => (await import("./preview-csv.tsx")).CsvPreview, { loading })

/** Shows a result in a dialog. Nothing in the content runs, loads or links. */
export function PreviewDialog({ artifact, onClose }: { artifact: Artifact; onClose: () => void }) {
  const kind = previewKind(artifact) ?? "text"
  const { data: source, error } = useQuery(previewOptions(artifact, kind))
  return (
    <Dialog title="Preview" wide onCancel={onClose}>
      <p className={styles["head"]}>
        <span className="mono">
          <OutsideText>{artifact.path}</OutsideText>
        </span>
        <span className="soft small">
          {formatBytes(artifact.size)}, version {artifact.version.toString()}
        </span>
        {source !== undefined && "verdict" in source && source.verdict !== undefined && (
          <span className="small">
            <VerdictLine verdict={source.verdict} />
          </span>
        )}
      </p>
      {source === undefined && error === null && <p className="soft">Reading the result…</p>}
      {error !== null && <DownloadError error={errorToShow(error)} />}
      {source !== undefined && <Preview artifact={artifact} kind={kind} source={source} />}
      <DialogActions>
        <Button data-autofocus onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  )
}

type PreviewProps = { artifact: Artifact; kind: PreviewKind; source: PreviewSource }

function Preview({ artifact, kind, source }: PreviewProps) {
  if ("unshowable" in source)
    return (
      <Callout icon="unknown" compact>
        {source.unshowable}
      </Callout>
    )
  if ("image" in source) return <ImagePreview image={source.image} path={artifact.path} />
  if (source.text === "") return <p className="soft">This file is empty.</p>
  return (
    <>
      {!source.whole && (
        <Callout announce="status" icon="warning" compact>
          This result is large. Only its beginning is shown, {formatBytes(new Blob([source.text]).size)} of{" "}
          {formatBytes(artifact.size)}, and it is not verified. The download has the whole result.
        </Callout>
      )}
      <TextKind kind={kind} text={source.text} whole={source.whole} />
    </>
  )
}

function TextKind({ kind, text, whole }: { kind: PreviewKind; text: string; whole: boolean }) {
  switch (kind) {
    case "markdown":
      return <MarkdownPreview text={text} />
    case "csv":
      return <CsvPreview text={text} whole={whole} />
    case "json":
      // The beginning of a JSON text cannot be parsed.
      return whole ? <JsonPreview text={text} /> : <TextPreview text={text} />
    case "text":
    case "image":
      return <TextPreview text={text} />
  }
}

/** An image from its bytes alone. In an `img`, SVG too runs no script and loads nothing (SVG 2, secure static mode). */
function ImagePreview({ image, path }: { image: Blob; path: string }) {
  const [broken, setBroken] = useState(false)
  const draw = useCallback(
    (element: HTMLImageElement) => {
      const address = URL.createObjectURL(image)
      element.src = address
      return () => URL.revokeObjectURL(address)
    },
    [image],
  )
  if (broken)
    return (
      <Callout announce="status" icon="unknown" compact>
        This browser cannot show this image. Download it instead.
      </Callout>
    )
  return (
    <div className={styles["image"]}>
      <img ref={draw} alt={path} draggable={false} onError={() => setBroken(true)} />
    </div>
  )
}

/**
 * The largest content of each kind that is read whole, and how much is read of a larger one, in bytes. The slowest text of this size that was
 * found takes a parser half a second.
 */
const LIMITS = {
  markdown: { whole: 50_000, beginning: 50_000 },
  text: { whole: 400_000, beginning: 400_000 },
  csv: { whole: 2_000_000, beginning: 1_000_000 },
  json: { whole: 2_000_000, beginning: 200_000 },
  image: { whole: 32_000_000, beginning: 0 },
}

type PreviewKind = keyof typeof LIMITS

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
type PreviewSource =
  | { readonly text: string; readonly whole: boolean; readonly verdict: Verdict | undefined }
  | { readonly image: Blob; readonly verdict: Verdict }
  | { readonly unshowable: string }

/** A read that met a `Retry-After` is repeated after that time. No other failed read is repeated. */
const afterPause: typeof retryInterval = (query) =>
  query.state.error instanceof DeskError && query.state.error.retryAt !== undefined ? retryInterval(query) : false

/** The content of an Artifact for a preview, kept for a while. A version never changes. */
function previewOptions(artifact: Artifact, kind: PreviewKind) {
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
  const limits = LIMITS[kind]
  if (artifact.size > BigInt(limits.whole)) {
    if (kind === "image") return { unshowable: "It is too large to be shown here. Download it instead." }
    return textOf(await readBeginning(artifact, limits.beginning, signal))
  }
  const { blob, verdict } = await readWhole(artifact, { signal })
  if (kind === "image") return { image: new Blob([blob], { type: mediaTypeOf(artifact) }), verdict }
  return textOf(new Uint8Array(await blob.arrayBuffer()), verdict)
}

/** Decodes UTF-8. Only a whole content has a verdict. A beginning may end within a character, which `stream` leaves out. */
function textOf(bytes: Uint8Array, verdict?: Verdict): PreviewSource {
  const whole = verdict !== undefined
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !whole }), whole, verdict }
  } catch {
    return { unshowable: "This is not UTF-8 text, although its type says so. Download it instead." }
  }
}
