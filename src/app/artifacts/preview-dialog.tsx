import { useQuery } from "@tanstack/react-query"
import type { Artifact } from "../../contract/resources.ts"
import { Button } from "../ui/button.tsx"
import { formatBytes } from "../ui/save-file.ts"
import { Callout } from "../ui/callout.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { ReloadCallout } from "../ui/part.tsx"
import { useArtifactDownload } from "./artifact-download.tsx"
import { DownloadError, VerdictLine } from "./download.tsx"
import type { AskedPreview } from "./ask-preview-worker.ts"
import { CsvPreview } from "./preview-csv.tsx"
import { ResultImage } from "./preview-image.tsx"
import { MarkdownPreview } from "./preview-markdown.tsx"
import { TextPreview } from "./preview-text.tsx"
import styles from "./preview.module.css"
import { previewKind, previewOptions, type PreviewSource } from "./preview-source.ts"
import { errorToShow } from "./read-artifact.ts"

type Props = {
  artifact: Artifact
  /** All results that have a preview. */
  all: readonly Artifact[]
  onChoose: (artifact: Artifact) => void
  onClose: () => void
}

/** Shows a result in a dialog. Nothing in the content runs, loads or links. */
export function PreviewDialog({ artifact, all, onChoose, onClose }: Props) {
  const at = all.findIndex(({ path }) => path === artifact.path)
  const key = JSON.stringify([artifact.path, artifact.id, String(artifact.version)])
  const step = (name: string, to: Artifact | undefined) => (
    <Button size="small" inactive={to === undefined} onClick={() => to && onChoose(to)}>
      {name}
    </Button>
  )
  return (
    <Dialog title="Preview" wide onCancel={onClose}>
      {at !== -1 && all.length > 1 && (
        <div className={styles["steps"]}>
          {step("Previous", all[at - 1])}
          {step("Next", all[at + 1])}
          <span className="small soft">
            {at + 1} of {all.length}
          </span>
        </div>
      )}
      <Shown key={`shown ${key}`} artifact={artifact} />
      <DialogActions>
        <Button data-autofocus onClick={onClose}>
          Close
        </Button>
        <DownloadShown key={`download ${key}`} artifact={artifact} />
      </DialogActions>
    </Dialog>
  )
}

function DownloadShown({ artifact }: { artifact: Artifact }) {
  const { start, isRunning, outcome } = useArtifactDownload(artifact)
  return (
    <>
      <Button onClick={start} inactive={isRunning}>
        Download
      </Button>
      {outcome}
    </>
  )
}

function Shown({ artifact }: { artifact: Artifact }) {
  const { data: source, error } = useQuery(previewOptions(artifact, previewKind(artifact) ?? "text"))
  return (
    <>
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
      {source === undefined && error === null && <p className="soft">Loading the file…</p>}
      {error !== null && <DownloadError error={errorToShow(error)} />}
      {source !== undefined && <Preview artifact={artifact} source={source} />}
    </>
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
  if ("image" in source)
    return (
      <div className={styles["image"]}>
        <ResultImage image={source.image} path={artifact.path} />
      </div>
    )
  return (
    <>
      {!source.whole && (
        <Callout announce="status" icon="warning" compact>
          Only the first {formatBytes(source.bytes)} of {formatBytes(artifact.size)} is shown, and it isn't verified.
          Download the whole file.
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
