import { useEffect, useRef, useState } from "react"
import type { Artifact } from "../../contract/resources.ts"
import { DeskError } from "../client/desk-error.ts"
import { Button } from "../ui/button.tsx"
import { formatBytes } from "../ui/byte-size.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Notice } from "../ui/notice.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { ARCHIVE_MAX_BYTES, type ArchiveCheck, ArchiveFailure, makeArchive } from "./archive.ts"
import { type ContentError, errorToShow } from "./artifact-content.ts"
import styles from "./artifacts.module.css"
import { ContentErrorAlert, Progress, Verified } from "./download-outcome.tsx"
import { downloadWords } from "./download-words.ts"
import { safeFileName } from "../ui/safe-name.ts"
import { saveFile } from "../ui/save-file.ts"

type Props = {
  workId: string
  /** The Artifacts that can be downloaded. */
  artifacts: readonly Artifact[]
  /** How many Artifacts of the list cannot be downloaded. */
  leftOut: number
}

type Making =
  | { readonly state: "idle" | "cancelled" | "too-large" }
  | { readonly state: "running"; readonly done: number; readonly bytes: number }
  | { readonly state: "saved"; readonly check: ArchiveCheck; readonly count: number }
  | { readonly state: "failed"; readonly path: string | undefined; readonly error: DeskError | ContentError }

/** The progress is rendered at this interval. */
const PROGRESS_MS = 100

/** Downloads every available result in one archive. Every result is checked; if one is wrong, nothing is saved. */
export function DownloadAll({ workId, artifacts, leftOut }: Props) {
  const [making, setMaking] = useState<Making>({ state: "idle" })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const whole = artifacts.reduce((sum, { size }) => sum + size, 0n)

  const start = async () => {
    if (whole > ARCHIVE_MAX_BYTES) {
      setMaking({ state: "too-large" })
      return
    }
    const controller = new AbortController()
    running.current = controller
    setMaking({ state: "running", done: 0, bytes: 0 })
    const { signal } = controller
    let progress = { done: 0, bytes: 0 }
    const progressTimer = setInterval(() => setMaking({ state: "running", ...progress }), PROGRESS_MS)
    try {
      const onProgress = (done: number, bytes: number) => {
        progress = { done, bytes }
      }
      const { blob, check } = await makeArchive(artifacts, { signal, onProgress })
      saveFile(blob, safeFileName(`work-${workId}.zip`))
      setMaking({ state: "saved", check, count: artifacts.length })
    } catch (error) {
      if (signal.aborted) setMaking({ state: "cancelled" })
      else if (error instanceof ArchiveFailure)
        setMaking({ state: "failed", path: error.path, error: errorToShow(error.cause) })
      else setMaking({ state: "failed", path: undefined, error: errorToShow(error) })
    } finally {
      clearInterval(progressTimer)
    }
  }

  return (
    <div className={styles["all"]}>
      <Button onClick={() => void start()} inactive={making.state === "running"}>
        Download all
      </Button>
      <span className="small soft">
        {artifacts.length} results as one archive, {formatBytes(whole)}
        {leftOut > 0 && `; ${leftOut} not available and left out`}
      </span>
      {making.state === "running" && (
        <div className={styles["outcome"]}>
          <Progress bytes={making.bytes} whole={Number(whole)} />
          <span>
            {making.done + 1} of {artifacts.length}
          </span>
          <Button size="small" onClick={() => running.current?.abort()}>
            Cancel<span className="visually-hidden"> the archive</span>
          </Button>
        </div>
      )}
      {making.state === "cancelled" && <output className={styles["outcome"]}>Cancelled. Nothing was saved.</output>}
      {making.state === "saved" && (
        <output className={styles["outcome"]}>
          {making.check.algorithms.length > 0 && making.check.unverified.length === 0 && (
            <Verified by={making.check.algorithms} />
          )}
          <span>
            Saved with {making.count} results
            {making.check.unverified.length > 0 && (
              <>
                . Their sizes are right. These have no hash of a known form to check:{" "}
                <OutsideText>{making.check.unverified.join(", ")}</OutsideText>
              </>
            )}
          </span>
        </output>
      )}
      {making.state === "too-large" && (
        <Notice announce="alert" tone="bad" icon="warning" compact>
          Together the results are larger than one archive can be. Download them one by one.
        </Notice>
      )}
      {making.state === "failed" && (
        <div className={styles["failed"]}>
          {making.path !== undefined && (
            <p className="small">
              No archive was saved, because of <OutsideText>{making.path}</OutsideText>:
            </p>
          )}
          {making.error instanceof DeskError ? (
            <ErrorAlert error={making.error} words={downloadWords(making.error)} kept="Nothing was saved." compact />
          ) : (
            <ContentErrorAlert error={making.error} />
          )}
        </div>
      )}
    </div>
  )
}
