import { useEffect, useRef, useState } from "react"
import type { Artifact } from "../../contract/resources.ts"
import { DeskError } from "../client/desk-error.ts"
import { Button } from "../ui/button.tsx"
import { formatBytes } from "../ui/byte-size.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Notice } from "../ui/notice.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { ContentMishap } from "./artifact-content.ts"
import styles from "./artifacts.module.css"
import { MishapAlert, Progress, VerdictLine } from "./download-outcome.tsx"
import { downloadWords } from "./download-words.ts"
import { safeFileName } from "../ui/safe-name.ts"
import { saveFile } from "../ui/save-file.ts"

type Props = {
  workId: string
  /** Those that can be downloaded. */
  artifacts: readonly Artifact[]
  /** How many of the list cannot. */
  leftOut: number
}

type Making =
  | { readonly state: "idle" | "cancelled" | "too-large" }
  | { readonly state: "running"; readonly done: number; readonly bytes: number }
  | { readonly state: "saved"; readonly unverified: readonly string[]; readonly count: number }
  | { readonly state: "failed"; readonly path: string; readonly error: unknown }

const DRAWN_MS = 100

/** Every available result in one archive with its folders: all of them checked, or none saved. */
export function DownloadAll({ workId, artifacts, leftOut }: Props) {
  const [making, setMaking] = useState<Making>({ state: "idle" })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const whole = artifacts.reduce((sum, { size }) => sum + size, 0n)

  const start = async () => {
    const { ARCHIVE_MAX_BYTES, ArchiveFailure, makeArchive } = await import("./archive.ts")
    if (whole > ARCHIVE_MAX_BYTES) {
      setMaking({ state: "too-large" })
      return
    }
    const controller = new AbortController()
    running.current = controller
    setMaking({ state: "running", done: 0, bytes: 0 })
    const { signal } = controller
    let progress = { done: 0, bytes: 0 }
    const drawing = setInterval(() => setMaking({ state: "running", ...progress }), DRAWN_MS)
    try {
      const onProgress = (done: number, bytes: number) => {
        progress = { done, bytes }
      }
      const { blob, unverified } = await makeArchive(artifacts, { signal, onProgress })
      saveFile(blob, safeFileName(`work-${workId}.zip`))
      setMaking({ state: "saved", unverified, count: artifacts.length })
    } catch (error) {
      if (signal.aborted) setMaking({ state: "cancelled" })
      else if (error instanceof ArchiveFailure)
        setMaking({ state: "failed", path: error.artifact.path, error: error.cause })
      else throw error
    } finally {
      clearInterval(drawing)
    }
  }

  return (
    <div className={styles["all"]}>
      <Button onClick={() => void start()} disabled={making.state === "running"}>
        Download all
      </Button>
      <span className="small soft">
        {artifacts.length} results as one archive, {formatBytes(whole)}
        {leftOut > 0 && `; without the ${leftOut === 1 ? "one" : leftOut} not available`}
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
          {making.unverified.length === 0 ? (
            <>
              <VerdictLine verdict={{ verified: "SHA-256" }} />
              <span>Saved with {making.count} results</span>
            </>
          ) : (
            <span>
              Saved with {making.count} results. Their sizes are right; no hash of known form to check:{" "}
              <OutsideText>{making.unverified.join(", ")}</OutsideText>
            </span>
          )}
        </output>
      )}
      {making.state === "too-large" && (
        <Notice announce="alert" tone="bad" icon="warning" compact>
          Together they are more than an archive holds. Download them one by one.
        </Notice>
      )}
      {making.state === "failed" && (
        <div className={styles["failed"]}>
          <p className="small">
            No archive was saved, because of <OutsideText>{making.path}</OutsideText>:
          </p>
          {making.error instanceof DeskError && (
            <ErrorAlert error={making.error} words={downloadWords(making.error)} kept="Nothing was saved." compact />
          )}
          {making.error instanceof ContentMishap && <MishapAlert mishap={making.error} />}
        </div>
      )}
    </div>
  )
}
