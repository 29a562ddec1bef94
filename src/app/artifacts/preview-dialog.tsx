import { useQuery } from "@tanstack/react-query"
import { useCallback, useState } from "react"
import type { Artifact } from "../../contract/resources.ts"
import { Button } from "../ui/button.tsx"
import { formatBytes } from "../ui/save-file.ts"
import { Callout } from "../ui/callout.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { part } from "../ui/part.tsx"
import { DownloadError, VerdictLine } from "./download.tsx"
import { JsonPreview, TextPreview } from "./preview-text.tsx"
import styles from "./preview.module.css"
import { type PreviewKind, previewKind, previewOptions, type PreviewSource } from "./preview-source.ts"
import { errorToShow } from "./read-artifact.ts"

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
