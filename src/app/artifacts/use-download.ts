import { useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useCallback, useEffect, useEffectEvent, useRef, useState } from "react"
import { callAt } from "../client/clock.ts"
import { DeskError } from "../client/desk-error.ts"
import { artifactsKey } from "../client/work-reads.ts"
import { ArchiveFailure } from "./archive.ts"
import { type ContentError, errorToShow } from "./read-artifact.ts"

export type DownloadState =
  | { readonly state: "idle" | "cancelled" }
  | { readonly state: "running"; readonly done: number; readonly bytes: number }
  | { readonly state: "saved"; readonly said: ReactNode }
  | { readonly state: "failed"; readonly error: DeskError | ContentError; readonly path: string | undefined }

export type Download = ReturnType<typeof useDownload>

type Reading = {
  readonly signal: AbortSignal
  /** Tells how many contents are complete, and how many bytes have arrived. */
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
  const stop = useCallback(() => running.current?.abort(), [])
  useEffect(() => stop, [stop])

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
