/** Parses the text of a preview in a worker, with a deadline. A hostile text keeps the worker busy, and never the page. */
import { trustedAddress } from "../client/trusted-address.ts"
import type { PreviewAnswer } from "./preview-worker.ts"
// oxlint-disable-next-line import/default -- Vite makes this export: the address of the built worker
import builtAddress from "./preview-worker.ts?worker&url"
import type { PreviewContent, PreviewRequest } from "./read-preview.ts"

const workerAddress = trustedAddress("preview-worker", builtAddress)

/** How long the worker may take for one text. */
const DEADLINE_MS = 2_000

/** The result for a text. `missing`: the worker's code did not arrive. `unreadable`: even its plain text takes too long. */
export type AskedPreview = PreviewContent | "missing" | "unreadable"

/** Parses a text. A text that takes longer than the deadline is returned as plain text, with the reason. */
export async function askPreviewWorker(request: PreviewRequest, signal: AbortSignal): Promise<AskedPreview> {
  const parsed = await askOnce(request, signal)
  if (parsed !== "late") return parsed
  const plain = request.kind === "text" ? "late" : await askOnce({ ...request, kind: "text" }, signal)
  if (plain === "late") return "unreadable"
  return typeof plain === "object" && "blocks" in plain ? { ...plain, reason: "too-slow" } : plain
}

function askOnce(request: PreviewRequest, signal: AbortSignal): Promise<PreviewContent | "missing" | "late"> {
  const worker = new Worker(workerAddress(), { type: "module", name: "preview" })
  return new Promise<PreviewContent | "missing" | "late">((resolve, reject) => {
    let hasBegun = false
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
    worker.addEventListener("message", ({ data }: MessageEvent<PreviewAnswer>) => {
      if ("content" in data) resolve(data.content)
      else {
        hasBegun = true
        setTimeout(() => resolve("late"), DEADLINE_MS)
      }
    })
    // A parser that runs out of memory or stack counts as late.
    worker.addEventListener("error", () => resolve(hasBegun ? "late" : "missing"))
    worker.postMessage(request)
  }).finally(() => worker.terminate())
}
