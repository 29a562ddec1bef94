import type { Log } from "../contract/log.ts"
import type { Configuration, LiveConfiguration } from "./configuration.ts"
import type { ServiceContext } from "./context.ts"
import { demonstrationOf } from "./demonstration.ts"
import { bytes, integer, text } from "./store/rows.ts"
import type { Row } from "./store/rows.ts"
import type { Store } from "./store/store.ts"

/** How long the scan of an upload takes at `pace` 1. */
const SCAN_SECONDS = 1.5

// A scan that fails, for instance because the disk is full, is tried again after a second, then after two, and so on up to a minute.
const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 60_000

type Outcome = {
  state: "available" | "quarantined" | "scan_failed"
  failureCode: string | null
  detectedType: string | null
}

/** When the scan of an upload ends, in milliseconds since 1970. */
export function scanDue(upload: Row, configuration: Configuration): number {
  const extra = demonstrationOf(configuration).extraScanSeconds(text(upload, "name"))
  return integer(upload, "queued_at") + Math.round((SCAN_SECONDS * configuration.pace + extra) * 1000)
}

/** The scans of uploads. Each takes some time. A scan that a restart cuts off is done after the restart (`resume`). */
export class Scans {
  readonly #store: Store
  readonly #log: Log
  readonly #configuration: LiveConfiguration
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor({ store, configuration, log }: ServiceContext) {
    this.#store = store
    this.#log = log
    this.#configuration = configuration
    configuration.listen(() => this.resume())
  }

  /** Starts a scan within an effect, at the time `now`. A scan that takes no time (`pace` 0) ends in the same effect. */
  queue(id: string, now: number): void {
    this.#store.run(
      "UPDATE upload SET processing_state = 'processing', failure_code = NULL, scans = scans + 1, queued_at = ? WHERE id = ?",
      now,
      id,
    )
    const due = scanDue(this.#find(id), this.#configuration.current)
    if (due <= now) this.#complete(id)
    else this.#store.afterCommit(() => this.#wait(id, due - Date.now()))
  }

  /** Sets the timers of all unfinished scans. Called at the start, and when the configuration changes, because `pace` may be another. */
  resume(): void {
    const rows = this.#store.all("SELECT id, name, queued_at FROM upload WHERE processing_state = 'processing'")
    for (const row of rows) this.#wait(text(row, "id"), scanDue(row, this.#configuration.current) - Date.now())
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }

  #wait(id: string, milliseconds: number, retryMs = FIRST_RETRY_MS): void {
    const complete = () => {
      this.#timers.delete(id)
      this.#store
        .effect(() => this.#complete(id))
        .catch((error: unknown) => {
          this.#log.error({ upload_id: id }, `An upload could not be scanned: ${String(error)}`)
          this.#wait(id, retryMs, Math.min(2 * retryMs, LAST_RETRY_MS))
        })
    }
    clearTimeout(this.#timers.get(id))
    this.#timers.set(id, setTimeout(complete, Math.max(0, milliseconds)))
  }

  #complete(id: string): void {
    const { state, failureCode, detectedType } = scan(this.#find(id), this.#configuration.current)
    this.#store.run(
      "UPDATE upload SET processing_state = ?, failure_code = ?, detected_type = ? WHERE id = ?",
      state,
      failureCode,
      detectedType,
      id,
    )
  }

  #find(id: string): Row {
    return this.#store.one("SELECT name, media_type, content, scans, queued_at FROM upload WHERE id = ?", id)
  }
}

function scan(upload: Row, configuration: Configuration): Outcome {
  const demonstration = demonstrationOf(configuration)
  if (demonstration.hasStaleSignatures(text(upload, "name")) && integer(upload, "scans") === 1) {
    return { state: "scan_failed", failureCode: "stale_signatures", detectedType: null }
  }
  const content = Buffer.from(bytes(upload, "content")).toString()
  if (demonstration.isMalware(content))
    return { state: "quarantined", failureCode: "malware_detected", detectedType: null }
  return {
    state: "available",
    failureCode: null,
    detectedType: isJson(content) ? "application/json" : declaredType(upload),
  }
}

/** The declared media type, or `text/plain` for content that was declared as JSON and does not parse. */
function declaredType(upload: Row): string {
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
