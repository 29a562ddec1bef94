import { useQuery } from "@tanstack/react-query"
import { useCallback, useState } from "react"
import type { Artifact } from "../../contract/resources.ts"
import { Button } from "../ui/button.tsx"
import { formatBytes } from "../ui/save-file.ts"
import { Callout } from "../ui/callout.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { writeHidden } from "../ui/hidden-characters.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { ReloadCallout } from "../ui/part.tsx"
import { DownloadError, VerdictLine } from "./download.tsx"
import type { AskedPreview } from "./ask-preview-worker.ts"
import { CsvPreview } from "./preview-csv.tsx"
import { MarkdownPreview } from "./preview-markdown.tsx"
import { TextPreview } from "./preview-text.tsx"
import styles from "./preview.module.css"
import { previewKind, previewOptions, type PreviewSource } from "./preview-source.ts"
import { errorToShow } from "./read-artifact.ts"

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
      {source !== undefined && <Preview artifact={artifact} source={source} />}
      <DialogActions>
        <Button data-autofocus onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  )
}

type PreviewProps = { artifact: Artifact; source: PreviewSource }

function Preview({ artifact, source }: PreviewProps) {
  if ("unshowable" in source)
    return (
      <Callout icon="unknown" compact>
        {source.unshowable}
      </Callout>
    )
  if ("image" in source) return <ImagePreview image={source.image} path={artifact.path} />
  return (
    <>
      {!source.whole && (
        <Callout announce="status" icon="warning" compact>
          This result is large. Its beginning is shown, {formatBytes(source.bytes)} of {formatBytes(artifact.size)}, not
          verified. Download the whole result.
        </Callout>
      )}
      <ParsedPreview content={source.content} whole={source.whole} />
    </>
  )
}

function ParsedPreview({ content, whole }: { content: AskedPreview; whole: boolean }) {
  if (content === "missing")
    return (
      <ReloadCallout announce="alert" tone="bad" icon="warning">
        The preview couldn't be loaded. What you typed is kept.
      </ReloadCallout>
    )
  if (content === "unreadable")
    return (
      <Callout announce="status" icon="unknown" compact>
        This file takes too long to show. Download it instead.
      </Callout>
    )
  if ("tree" in content) return <MarkdownPreview tree={content.tree} />
  if ("table" in content) return <CsvPreview table={content.table} whole={whole} />
  return <TextPreview {...content} />
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
        This browser can't show this image. Download it instead.
      </Callout>
    )
  return (
    <div className={styles["image"]}>
      <img ref={draw} alt={writeHidden(path)} draggable={false} onError={() => setBroken(true)} />
    </div>
  )
}
