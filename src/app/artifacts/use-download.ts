import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import type { Artifact } from "../../contract/resources.ts"
import { callAt } from "../client/clock.ts"
import { DeskError } from "../client/desk-error.ts"
import { artifactsKey } from "../client/query-keys.ts"
import { safeFileName } from "../ui/safe-name.ts"
import { saveFile } from "../ui/save-file.ts"
import { type ContentError, errorToShow, readWhole, type Verdict, type WholeContent } from "./artifact-content.ts"

export type Download =
  | { readonly state: "idle" }
  | { readonly state: "running"; readonly bytes: number }
  | { readonly state: "saved"; readonly name: string; readonly verdict: Verdict }
  | { readonly state: "failed"; readonly error: DeskError | ContentError }
  | { readonly state: "cancelled" }

/** The progress is rendered at this interval, and not for each chunk of 300 MB. */
const PROGRESS_MS = 100

/** Downloads an Artifact: fetches the content, checks it, and only then saves it. The download ends with the component. */
export function useDownload(artifact: Artifact): {
  readonly download: Download
  readonly start: () => void
  readonly cancel: () => void
  readonly saveAnyway: (content: Blob) => void
} {
  const client = useQueryClient()
  const [download, setDownload] = useState<Download>({ state: "idle" })
  const running = useRef<AbortController>(undefined)
  const cancelRetry = useRef<() => void>(undefined)
  useEffect(
    () => () => {
      cancelRetry.current?.()
      running.current?.abort()
    },
    [],
  )

  const start = async () => {
    cancelRetry.current?.()
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setDownload({ state: "running", bytes: 0 })
    let arrived = 0
    const progress = setInterval(() => setDownload({ state: "running", bytes: arrived }), PROGRESS_MS)
    const onBytes = (bytes: number) => {
      arrived = bytes
    }
    const outcome = await read(artifact, controller.signal, onBytes)
    clearInterval(progress)
    if (running.current !== controller) return
    if (controller.signal.aborted) return setDownload({ state: "cancelled" })
    if (!(outcome instanceof Error)) return save(outcome.blob, outcome.verdict)
    setDownload({ state: "failed", error: outcome })
    if (outcome instanceof DeskError && outcome.retryAt !== undefined) {
      cancelRetry.current = callAt(outcome.retryAt, () => void start())
    }
    // A refused download shows that the list is stale.
    void client.invalidateQueries({ queryKey: artifactsKey(artifact.work_id) })
  }

  const save = (content: Blob, verdict: Verdict) => {
    const name = safeFileName(artifact.path)
    saveFile(content, name)
    setDownload({ state: "saved", name, verdict })
  }

  return {
    download,
    start: () => void start(),
    cancel: () => {
      cancelRetry.current?.()
      if (download.state === "failed") setDownload({ state: "cancelled" })
      else running.current?.abort()
    },
    saveAnyway: (content) => save(content, { unverified: "its hash does not match as a SHA-256" }),
  }
}

/** The content, or the error for the person. An aborted download has neither. */
async function read(
  artifact: Artifact,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<WholeContent | DeskError | ContentError> {
  try {
    return await readWhole(artifact, { signal, onBytes })
  } catch (error) {
    return errorToShow(error)
  }
}
