import type { Artifact } from "../../contract/resources.ts"
import { Button } from "../ui/button.tsx"
import { formatBytes, formatExactBytes } from "../ui/byte-size.ts"
import { CopyButton, Identifier } from "../ui/copy-button.tsx"
import { Icon, type IconName } from "../ui/icon.tsx"
import { MixedScripts } from "../ui/mixed-scripts.tsx"
import { HiddenName, OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/clocks.tsx"
import { safeFileName, saveFile } from "../ui/save-file.ts"
import { Status } from "../ui/status.tsx"
import { isAvailable, readWhole, type Verdict } from "./read-artifact.ts"
import styles from "./artifacts.module.css"
import { DownloadOutcome, useDownload, VerdictLine } from "./download.tsx"
import { previewKind } from "./preview-dialog.tsx"

type Props = {
  artifact: Artifact
  onPreview: () => void
}

/** The verdict on a content that the person saves although a hash of an unnamed algorithm does not match. */
const UNCHECKED: Verdict = { unverified: "its hash does not match as a SHA-256" }

/** Saves a content that was fetched, and returns the words about the saved file. */
function saveContent({ path, version }: Artifact, content: Blob, verdict: Verdict) {
  const name = safeFileName(path)
  saveFile(content, name)
  return (
    <>
      <VerdictLine verdict={verdict} />
      <span>
        Saved version {version.toString()} as <OutsideText>{name}</OutsideText>
      </span>
    </>
  )
}

/** The line of a result: its path, its state, its facts and its download. */
export function ArtifactRow({ artifact, onPreview }: Props) {
  const download = useDownload(artifact.work_id, async ({ signal, onProgress }) => {
    const onBytes = (bytes: number) => onProgress(0, bytes)
    const { blob, verdict } = await readWhole(artifact, { signal, onBytes })
    return saveContent(artifact, blob, verdict)
  })
  const available = isAvailable(artifact)
  const kind = previewKind(artifact)
  const path = <HiddenName>{artifact.path}</HiddenName>
  return (
    <li className={styles["file"]}>
      <Icon name="file" />
      <div className={styles["words"]}>
        <span className="mono">
          <OutsideText>{artifact.path}</OutsideText>
        </span>
        <MixedScripts text={artifact.path} />
        <div className={styles["about"]}>
          <OutsideText>{artifact.media_type}</OutsideText>
          <span title={formatExactBytes(artifact.size)}>{formatBytes(artifact.size)}</span>
          <span>Version {artifact.version.toString()}</span>
          <RelativeTime at={artifact.created_at} />
        </div>
        <div className={styles["hashLine"]}>
          <span className={styles["hash"]} title={artifact.content_hash}>
            <OutsideText>{artifact.content_hash}</OutsideText>
          </span>
          <CopyButton text={artifact.content_hash} what="the hash" />
        </div>
        {!available && <p className="small">{lookOf(artifact).why}</p>}
      </div>
      <ArtifactState artifact={artifact} />
      <div className={styles["actions"]}>
        {available && kind !== undefined && <Button onClick={onPreview}>Preview{path}</Button>}
        {available && (
          <Button onClick={download.start} inactive={download.state === "running"}>
            Download{path}
          </Button>
        )}
      </div>
      <DownloadOutcome
        what={artifact.path}
        whole={artifact.size}
        download={download}
        onSaveAnyway={(content) => download.setSaved(saveContent(artifact, content, UNCHECKED))}
      />
    </li>
  )
}

type Look = {
  readonly tone: "neutral" | "good" | "warn" | "bad"
  readonly icon: IconName
  readonly word: string
  /** Why a result that is not available has no download, in a sentence. */
  readonly why: string
}

const looks: Readonly<Record<string, Look>> = {
  available: { tone: "good", icon: "done", word: "Available", why: "" },
  processing: {
    tone: "neutral",
    icon: "working",
    word: "Being scanned",
    why: "It cannot be downloaded yet: it is still being processed. It becomes available here by itself.",
  },
  quarantined: {
    tone: "bad",
    icon: "warning",
    word: "Quarantined",
    why: "It cannot be downloaded: its scan found something, and the service keeps it apart.",
  },
  scan_failed: {
    tone: "bad",
    icon: "warning",
    word: "Scan failed",
    why: "It cannot be downloaded: its scan could not be finished.",
  },
  failed: { tone: "bad", icon: "warning", word: "Failed", why: "It cannot be downloaded: its processing failed." },
  expired: { tone: "warn", icon: "clock", word: "Expired", why: "It cannot be downloaded any more: it has expired." },
}

const lookOf = ({ processing_state: state = "available" }: Artifact): Look =>
  (Object.hasOwn(looks, state) ? looks[state] : undefined) ?? {
    tone: "neutral",
    icon: "unknown",
    word: state,
    why: "It cannot be downloaded: this app does not know its state.",
  }

/** The processing state of a result as a symbol with a word, and its failure code as it is. A state that the app does not know is shown as it is. */
function ArtifactState({ artifact }: { artifact: Artifact }) {
  const { tone, icon, word } = lookOf(artifact)
  return (
    <div className={styles["state"]}>
      <Status tone={tone} icon={icon}>
        <OutsideText>{word}</OutsideText>
      </Status>
      {artifact.failure_code !== undefined && <Identifier value={artifact.failure_code} />}
    </div>
  )
}
