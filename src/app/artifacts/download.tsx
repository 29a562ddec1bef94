import { useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react"
import { callAt } from "../client/clock.ts"
import { DeskError, type Failure } from "../client/desk-error.ts"
import { Button } from "../ui/button.tsx"
import { formatBytes } from "../ui/save-file.ts"
import { Callout, CalloutLine } from "../ui/callout.tsx"
import { classes } from "../ui/classes.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import type { ErrorWords } from "../ui/error-words.tsx"
import { Icon } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { useKeptFocus } from "../ui/use-kept-focus.ts"
import { ArchiveFailure } from "./zip-results.ts"
import { type Algorithm, artifactsKey, type ContentError, errorToShow, type Verdict } from "./read-artifact.ts"
import styles from "./artifacts.module.css"

type DownloadState =
  | { readonly state: "idle" | "cancelled" }
  | { readonly state: "running"; readonly done: number; readonly bytes: number }
  | { readonly state: "saved"; readonly said: ReactNode }
  | { readonly state: "failed"; readonly error: DeskError | ContentError; readonly path: string | undefined }

export type Download = ReturnType<typeof useDownload>

type Reading = {
  readonly signal: AbortSignal
  /** Called with the number of complete contents, and of the bytes that have arrived. */
  readonly onProgress: (done: number, bytes: number) => void
}

/** The progress is rendered at this interval, because a large content comes in too many chunks to render each. */
const PROGRESS_MS = 100

/**
 * A download of results of a Work, which ends with the component. After a `Retry-After` it begins again by itself.
 *
 * @param fetchAndSave fetches the content, checks it, and only then saves it. Returns the words about the saved file
 */
export function useDownload(workId: string, fetchAndSave: (reading: Reading) => Promise<ReactNode>) {
  const client = useQueryClient()
  const [download, setDownload] = useState<DownloadState>({ state: "idle" })
  /** Ends the present attempt. */
  const running = useRef<AbortController>(undefined)
  const stop = () => running.current?.abort()
  useEffect(() => () => running.current?.abort(), [])

  const start = async () => {
    stop()
    const { signal } = (running.current = new AbortController())
    let progress = { done: 0, bytes: 0 }
    const show = () => setDownload({ state: "running", ...progress })
    show()
    const timer = setInterval(show, PROGRESS_MS)
    signal.addEventListener("abort", () => clearInterval(timer))
    const onProgress = (done: number, bytes: number) => {
      progress = { done, bytes }
    }
    try {
      const said = await fetchAndSave({ signal, onProgress })
      if (!signal.aborted) setDownload({ state: "saved", said })
    } catch (cause) {
      if (signal.aborted) return
      const [path, reason] = cause instanceof ArchiveFailure ? [cause.path, cause.cause] : [undefined, cause]
      const error = errorToShow(reason)
      setDownload({ state: "failed", error, path })
      // The list may be stale, because the result has another state or a newer version.
      void client.invalidateQueries({ queryKey: artifactsKey(workId) })
    } finally {
      clearInterval(timer)
    }
  }

  const failure = download.state === "failed" ? download.error : undefined
  const retryAt = failure instanceof DeskError ? failure.retryAt : undefined
  // What is on the screen at the end of the wait is downloaded: the row may have a newer version by then.
  const startAgain = useEffectEvent(() => void start())
  useEffect(() => (retryAt === undefined ? undefined : callAt(retryAt, () => startAgain())), [retryAt])

  return {
    ...download,
    start: () => void start(),
    cancel: () => {
      stop()
      setDownload({ state: "cancelled" })
    },
    /** Says that a file was saved in another way. */
    setSaved: (said: ReactNode) => setDownload({ state: "saved", said }),
  }
}

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

/** The progress or the outcome of a download. It takes the focus from a button that goes, such as `Cancel`. */
export function DownloadOutcome(props: Props) {
  const outcome = useRef<HTMLDivElement>(null)
  useKeptFocus(outcome, () => outcome.current)
  return (
    <div ref={outcome} className={styles["outcome"]} tabIndex={-1}>
      <OutcomeContent {...props} />
    </div>
  )
}

function OutcomeContent({ what, whole, count, download, onSaveAnyway }: Props) {
  switch (download.state) {
    case "idle":
      return null
    case "running":
      return (
        <div className={styles["progress"]}>
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
      return <output className={styles["progress"]}>Cancelled. Nothing was saved.</output>
    case "saved":
      return <output className={styles["progress"]}>{download.said}</output>
    case "failed":
      return (
        <>
          {download.path !== undefined && (
            <p className="small">
              The archive wasn't saved because of <OutsideText>{download.path}</OutsideText>:
            </p>
          )}
          <DownloadError error={download.error} onStop={download.cancel} onSaveAnyway={onSaveAnyway} />
        </>
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
            Don't try again
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
    happened: "It was removed, or this account can't see it.",
    toDo: "The list above was reloaded. Check for a newer version.",
  },
  conflict: {
    happened: "This file hasn't passed the service's checks yet.",
    toDo: "The list above was reloaded and shows its current state.",
  },
  blocked: {
    happened: "Your organization's data policy blocks this download.",
    toDo: "Ask the policy's owner.",
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
      <Icon name="unknown" /> The size is right. The content isn't verified: {verdict.unverified}
    </span>
  )
}

const TRY_AGAIN = "Try again."
const TRY_AGAIN_OR_TELL = "Try again. If that fails, tell the service's operator."

const contentErrors: Readonly<Record<ContentError["kind"], readonly [happened: string, toDo: string]>> = {
  cut: ["The download was cut short", TRY_AGAIN],
  "wrong-size": ["The downloaded file has the wrong size", TRY_AGAIN_OR_TELL],
  "wrong-hash": ["The downloaded file has the wrong hash", TRY_AGAIN_OR_TELL],
  failed: ["The browser couldn't finish the download", TRY_AGAIN],
  "too-large": ["The results are too large for one archive", "Download them one by one."],
}

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
          <span className="small">The type of this hash is unknown.</span>
          <Button size="small" onClick={() => onSaveAnyway(doubtful)}>
            Save anyway
          </Button>
        </CalloutLine>
      )}
    </Callout>
  )
}
