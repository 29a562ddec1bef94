import type { LiveConfiguration } from "./configuration.ts"
import { extraScanSeconds, hasStaleSignatures, isMalware } from "./demonstration.ts"
import { bytes, integer, text } from "./store/rows.ts"
import type { Row } from "./store/rows.ts"
import type { Store, Transaction } from "./store/store.ts"

/** How long the scan of an upload takes at `pace` 1. */
const SCAN_SECONDS = 1.5

// While the disk is full a scan cannot be recorded, and is tried again.
const RETRY_MS = 1000

type Outcome = {
  state: "available" | "quarantined" | "scan_failed"
  failureCode: string | null
  detectedType: string | null
}

/** The scans of uploads: a state that takes its time, and outlives the process. */
export class Scans {
  readonly #store: Store
  readonly #configuration: LiveConfiguration
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(store: Store, configuration: LiveConfiguration) {
    this.#store = store
    this.#configuration = configuration
  }

  /** Queues a scan within a transaction. One that takes no time (`pace` 0) is done in it. */
  queue(transaction: Transaction, id: string, now: number): void {
    const upload = this.#find(id)
    const seconds = SCAN_SECONDS * this.#configuration.current.pace + extraScanSeconds(text(upload, "name"))
    const scannedAt = now + Math.round(seconds * 1000)
    this.#store.run(
      "UPDATE upload SET processing_state = 'processing', failure_code = NULL, scans = scans + 1, scanned_at = ? WHERE id = ?",
      scannedAt,
      id,
    )
    if (seconds === 0) this.#complete(id)
    else transaction.afterCommit(() => this.#wait(id, scannedAt - Date.now()))
  }

  /** Goes on with the scans that the last process left. */
  resume(): void {
    const rows = this.#store.all("SELECT id, scanned_at FROM upload WHERE processing_state = 'processing'")
    for (const row of rows) this.#wait(text(row, "id"), integer(row, "scanned_at") - Date.now())
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }

  #wait(id: string, milliseconds: number): void {
    const complete = () => {
      this.#timers.delete(id)
      this.#store.effect(() => this.#complete(id)).catch(() => this.#wait(id, RETRY_MS))
    }
    this.#timers.set(id, setTimeout(complete, Math.max(0, milliseconds)))
  }

  #complete(id: string): void {
    const { state, failureCode, detectedType } = scan(this.#find(id))
    this.#store.run(
      "UPDATE upload SET processing_state = ?, failure_code = ?, detected_type = ? WHERE id = ?",
      state,
      failureCode,
      detectedType,
      id,
    )
  }

  #find(id: string): Row {
    const row = this.#store.get("SELECT name, media_type, content, scans FROM upload WHERE id = ?", id)
    if (row === undefined) throw new Error(`there is no upload ${id}`)
    return row
  }
}

function scan(upload: Row): Outcome {
  if (hasStaleSignatures(text(upload, "name")) && integer(upload, "scans") === 1) {
    return { state: "scan_failed", failureCode: "stale_signatures", detectedType: null }
  }
  const content = Buffer.from(bytes(upload, "content")).toString()
  if (isMalware(content)) return { state: "quarantined", failureCode: "malware_detected", detectedType: null }
  return {
    state: "available",
    failureCode: null,
    detectedType: isJson(content) ? "application/json" : declared(upload),
  }
}

/** What was declared as JSON and is none is text; the other three cannot be told apart by their bytes. */
function declared(upload: Row): string {
  const mediaType = text(upload, "media_type")
  return mediaType === "application/json" ? "text/plain" : mediaType
}

function isJson(content: string): boolean {
  if (!/^\s*[[{]/.test(content)) return false
  try {
    JSON.parse(content)
    return true
  } catch {
    return false
  }
}
