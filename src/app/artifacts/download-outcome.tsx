import { DeskError, type Failure } from "../client/desk-error.ts"
import { Button } from "../ui/button.tsx"
import { formatBytes } from "../ui/byte-size.ts"
import { classes } from "../ui/classes.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import type { ErrorWords } from "../ui/error-words.ts"
import { Icon } from "../ui/icon.tsx"
import { Callout, CalloutLine } from "../ui/callout.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import type { ContentError, Verdict } from "./read-artifact.ts"
import styles from "./artifacts.module.css"
import type { Algorithm } from "./content-hash.ts"
import type { Download } from "./use-download.ts"

type Props = {
  /** What is downloaded, for assistive technology. */
  what: string
  /** The size in bytes. */
  whole: bigint
  /** The number of results, where they are downloaded together. */
  count?: number
  download: Download
  onSaveAnyway?: (content: Blob) => void
}

/** The progress or the outcome of a download. */
export function DownloadOutcome({ what, whole, count, download, onSaveAnyway }: Props) {
  switch (download.state) {
    case "idle":
      return null
    case "running":
      return (
        <div className={styles["outcome"]}>
          <progress aria-label="Progress" value={download.bytes} max={Math.max(Number(whole), 1)} />
          <span>
            {formatBytes(download.bytes)} of {formatBytes(whole)}
          </span>
          {count !== undefined && (
            <span>
              {download.done + 1} of {count}
            </span>
          )}
          <Button size="small" onClick={download.cancel}>
            Cancel
            <span className="visually-hidden">
              {" "}
              the download of <OutsideText>{what}</OutsideText>
            </span>
          </Button>
        </div>
      )
    case "cancelled":
      return <output className={styles["outcome"]}>Cancelled. Nothing was saved.</output>
    case "saved":
      return <output className={styles["outcome"]}>{download.said}</output>
    case "failed":
      return (
        <div className={styles["failed"]}>
          {download.path !== undefined && (
            <p className="small">
              No archive was saved, because of <OutsideText>{download.path}</OutsideText>:
            </p>
          )}
          <DownloadError error={download.error} onStop={download.cancel} onSaveAnyway={onSaveAnyway} />
        </div>
      )
  }
}

type ErrorProps = {
  error: DeskError | ContentError
  /** Ends the wait for another attempt. */
  onStop?: () => void
  onSaveAnyway?: ((content: Blob) => void) | undefined
}

/** Says why nothing was downloaded. */
export function DownloadError({ error, onStop, onSaveAnyway }: ErrorProps) {
  if (!(error instanceof DeskError)) return <ContentErrorAlert error={error} onSaveAnyway={onSaveAnyway} />
  const canStop = onStop !== undefined && error.retryAt !== undefined
  return (
    <ErrorAlert
      error={error}
      words={error.kind === "problem" ? error.failure && byFailure[error.failure] : undefined}
      {...(onStop !== undefined && { kept: "Nothing was saved." })}
      retryAt={error.retryAt}
      action={
        canStop && (
          <Button size="small" onClick={onStop}>
            Do not try again
          </Button>
        )
      }
      compact
    />
  )
}

/** Plain words for a refused download, where the general words do not fit. */
const byFailure: Readonly<Partial<Record<Failure, ErrorWords>>> = {
  "not-visible": {
    happened: "It is not there any more, or not visible to this account.",
    toDo: "The list above is read again. Check whether it has a newer version.",
  },
  conflict: {
    happened: "It is not available: it has not passed every check of the service.",
    toDo: "The list above is read again and shows its state.",
  },
  blocked: {
    happened: "Your organization's data policy blocks this download.",
    toDo: "Ask who owns the policy.",
  },
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

const TRY_AGAIN = "Try again."
const TRY_AGAIN_OR_TELL = "Try again. If the download is wrong again, tell whoever runs the service."

const contentErrors: Readonly<Record<ContentError["kind"], readonly [happened: string, toDo: string]>> = {
  cut: ["The download was cut short", TRY_AGAIN],
  "wrong-size": ["The download has another size than the Artifact says", TRY_AGAIN_OR_TELL],
  "wrong-hash": ["The download is not what the Artifact says: its hash does not match", TRY_AGAIN_OR_TELL],
  failed: ["The browser could not finish the download", TRY_AGAIN],
  "too-large": ["Together the results are larger than one archive can be", "Download them one by one."],
}

/** Says that a content was cut or is wrong, and that nothing was saved. */
function ContentErrorAlert({ error, onSaveAnyway }: { error: ContentError } & Pick<ErrorProps, "onSaveAnyway">) {
  const { doubtful } = error
  const [happened, toDo] = contentErrors[error.kind]
  return (
    <Callout announce="alert" tone="bad" icon="warning" compact>
      <strong>{happened}</strong>
      {error.message !== "" && (
        <div className={styles["long"]}>
          <OutsideText>{error.message}</OutsideText>
        </div>
      )}
      <div className="small soft">Nothing was saved. {toDo}</div>
      {doubtful !== undefined && onSaveAnyway !== undefined && (
        <CalloutLine>
          <span className="small">The service does not say which kind of hash this is.</span>
          <Button size="small" onClick={() => onSaveAnyway(doubtful)}>
            Save it unchecked
          </Button>
        </CalloutLine>
      )}
    </Callout>
  )
}
