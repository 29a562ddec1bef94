import type { Artifact } from "../../contract/resources.ts"
import { DeskError } from "../client/desk-error.ts"
import { Button } from "../ui/button.tsx"
import { formatBytes } from "../ui/byte-size.ts"
import { classes } from "../ui/classes.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Icon } from "../ui/icon.tsx"
import { Notice, NoticeLine } from "../ui/notice.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import type { ContentError, Verdict } from "./artifact-content.ts"
import styles from "./artifacts.module.css"
import type { Algorithm } from "./content-hash.ts"
import { downloadWords } from "./download-words.ts"
import type { Download } from "./use-download.ts"

type Props = {
  artifact: Artifact
  download: Download
  onCancel: () => void
  onSaveAnyway: (content: Blob) => void
}

/** The progress or the outcome of a download, below the line of its result. */
export function DownloadOutcome({ artifact, download, onCancel, onSaveAnyway }: Props) {
  switch (download.state) {
    case "idle":
      return null
    case "running":
      return (
        <div className={styles["outcome"]}>
          <Progress bytes={download.bytes} whole={Number(artifact.size)} />
          <Button size="small" onClick={onCancel}>
            Cancel
            <span className="visually-hidden">
              {" "}
              the download of <OutsideText>{artifact.path}</OutsideText>
            </span>
          </Button>
        </div>
      )
    case "cancelled":
      return <output className={styles["outcome"]}>Cancelled. Nothing was saved.</output>
    case "saved":
      return (
        <output className={styles["outcome"]}>
          <VerdictLine verdict={download.verdict} />
          <span>
            Saved as <OutsideText>{download.name}</OutsideText>
          </span>
        </output>
      )
    case "failed":
      return (
        <div className={styles["failed"]}>
          {download.error instanceof DeskError ? (
            <ErrorAlert
              error={download.error}
              words={downloadWords(download.error)}
              kept="Nothing was saved."
              retryAt={download.error.retryAt}
              action={
                download.error.retryAt === undefined ? undefined : (
                  <Button size="small" onClick={onCancel}>
                    Do not try again
                  </Button>
                )
              }
              compact
            />
          ) : (
            <ContentErrorAlert error={download.error} onSaveAnyway={onSaveAnyway} />
          )}
        </div>
      )
  }
}

/** How much of a download has arrived. */
export function Progress({ bytes, whole }: { bytes: number; whole: number }) {
  return (
    <>
      <progress aria-label="Progress" value={bytes} max={Math.max(whole, 1)} />
      <span>
        {formatBytes(bytes)} of {formatBytes(whole)}
      </span>
    </>
  )
}

/** "Verified, SHA-256": the content has the hash that the Artifact names. */
export function Verified({ by }: { by: readonly Algorithm[] }) {
  return (
    <span className={classes(styles["verdict"], styles["verified"])}>
      <Icon name="approvals" /> Verified, {by.join(", ")}
    </span>
  )
}

/** The result of checking a content, or why only the size could be checked. */
export function VerdictLine({ verdict }: { verdict: Verdict }) {
  if ("verified" in verdict) return <Verified by={[verdict.verified]} />
  return (
    <span className={styles["verdict"]}>
      <Icon name="unknown" /> The size is right. The rest is not checked: {verdict.unverified}
    </span>
  )
}

const contentErrorTitles: Readonly<Record<ContentError["kind"], string>> = {
  cut: "The download was cut short",
  "wrong-size": "The download has another size than the Artifact says",
  "wrong-hash": "The download is not what the Artifact says: its hash does not match",
  failed: "The browser could not finish the download",
}

type ContentErrorProps = { error: ContentError; onSaveAnyway?: (content: Blob) => void }

/** Says that a content was cut or is wrong, and that nothing was saved. */
export function ContentErrorAlert({ error, onSaveAnyway }: ContentErrorProps) {
  const { doubtful } = error
  return (
    <Notice announce="alert" tone="bad" icon="warning" compact>
      <strong>{contentErrorTitles[error.kind]}</strong>
      <div className={styles["long"]}>
        <OutsideText>{error.message}</OutsideText>
      </div>
      <div className="small soft">
        Nothing was saved.{" "}
        {error.kind.startsWith("wrong")
          ? "Try again. If the download is wrong again, tell whoever runs the service."
          : "Try again."}
      </div>
      {doubtful !== undefined && onSaveAnyway !== undefined && (
        <NoticeLine>
          <span className="small">The service does not say which kind of hash this is.</span>
          <Button size="small" onClick={() => onSaveAnyway(doubtful)}>
            Save it unchecked
          </Button>
        </NoticeLine>
      )}
    </Notice>
  )
}
