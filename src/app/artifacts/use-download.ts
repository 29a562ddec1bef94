import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import type { Artifact } from "../../contract/resources.ts"
import { DeskError } from "../client/desk-error.ts"
import { artifactsKey } from "../client/keys.ts"
import { ContentMishap, readWhole, type Verdict } from "./artifact-content.ts"
import { safeFileName } from "../ui/safe-name.ts"
import { saveFile } from "../ui/save-file.ts"

export type Download =
  | { readonly state: "idle" }
  | { readonly state: "running"; readonly bytes: number }
  | { readonly state: "saved"; readonly name: string; readonly verdict: Verdict }
  | { readonly state: "failed"; readonly error: DeskError | ContentMishap }
  | { readonly state: "cancelled" }

/** How often a running download is drawn: not at each chunk of 300 MB. */
const DRAWN_MS = 100

/** Downloads an Artifact: fetched, checked, and only then saved. It ends with the component. */
export function useDownload(artifact: Artifact): {
  readonly download: Download
  readonly start: () => void
  readonly cancel: () => void
  readonly saveAnyway: (content: Blob) => void
} {
  const client = useQueryClient()
  const [download, setDownload] = useState<Download>({ state: "idle" })
  const running = useRef<AbortController>(undefined)
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(
    () => () => {
      clearTimeout(pause.current)
      running.current?.abort()
    },
    [],
  )

  const start = async () => {
    clearTimeout(pause.current)
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setDownload({ state: "running", bytes: 0 })
    let arrived = 0
    const drawing = setInterval(() => setDownload({ state: "running", bytes: arrived }), DRAWN_MS)
    const onBytes = (bytes: number) => {
      arrived = bytes
    }
    const outcome = await readWhole(artifact, { signal: controller.signal, onBytes }).catch((error: unknown) => error)
    clearInterval(drawing)
    if (running.current !== controller) return
    if (controller.signal.aborted) setDownload({ state: "cancelled" })
    else if (outcome instanceof DeskError || outcome instanceof ContentMishap) {
      setDownload({ state: "failed", error: outcome })
      // A GET that met a `Retry-After` is asked again by itself after it (design, "The app's addresses and names").
      const retryAt = outcome instanceof DeskError ? outcome.retryAt : undefined
      if (retryAt !== undefined) pause.current = setTimeout(() => void start(), waitUntil(retryAt))
      // A refusal says that the list is out of date.
      void client.invalidateQueries({ queryKey: artifactsKey(artifact.work_id) })
    } else if (isWhole(outcome)) {
      const name = safeFileName(artifact.path)
      saveFile(outcome.blob, name)
      setDownload({ state: "saved", name, verdict: outcome.verdict })
    } else throw outcome
  }

  return {
    download,
    start: () => void start(),
    cancel: () => {
      clearTimeout(pause.current)
      if (download.state === "failed") setDownload({ state: "cancelled" })
      else running.current?.abort()
    },
    saveAnyway: (content) => {
      const name = safeFileName(artifact.path)
      saveFile(content, name)
      setDownload({ state: "saved", name, verdict: { unverified: "its hash does not match as a SHA-256" } })
    },
  }
}

function isWhole(outcome: unknown): outcome is Awaited<ReturnType<typeof readWhole>> {
  return typeof outcome === "object" && outcome !== null && "blob" in outcome
}

/** How long until `moment` (ms since the epoch) is over; a timer may come a moment early. */
function waitUntil(moment: number): number {
  return Math.max(moment - Date.now(), 0) + 50
}
