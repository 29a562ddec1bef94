/** The scans of uploads. A scan detects the type, which may differ from the declared `media_type`, and the malware of `demonstration.ts`, nothing else. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Log } from "../platform/log.ts"
import type { Configuration, LiveConfiguration } from "./configuration.ts"
import type { ServiceContext } from "./context.ts"
import { demonstrationOf } from "./demonstration.ts"
import { retry } from "./retry.ts"
import { bytes, integer, type Row, text } from "./store/sqlite-row.ts"
import type { Store } from "./store/store.ts"
import { inBackground } from "../platform/background.ts"

/** How long the scan of an upload takes at `pace` 1. */
const SCAN_SECONDS = 1.5

export class Scans {
  readonly #store: Store
  readonly #log: Log
  readonly #configuration: LiveConfiguration
  #waiting = new AbortController()

  constructor({ store, configuration, log }: ServiceContext) {
    this.#store = store
    this.#log = log
    this.#configuration = configuration
    configuration.listen(() => this.resume())
  }

  /** Starts a scan within an effect, at the time `now`. A scan that is due at once (`pace` 0) ends in the same effect. */
  queue(id: string, now: number): void {
    const upload = this.#store.one(
      `UPDATE upload SET processing_state = 'processing', failure_code = NULL, scans = scans + 1, queued_at = ? WHERE id = ?
       RETURNING id, name, queued_at`,
      now,
      id,
    )
    if (scanDue(upload, this.#configuration.current) <= now) this.#scan(id)
    else this.#store.afterCommit(() => inBackground(() => this.#scanWhenDue(upload)))
  }

  /** Restarts the wait for each unfinished scan: at the start, for a scan that a restart has cut off, and when the configuration, and so perhaps `pace`, has changed. */
  resume(): void {
    this.close()
    this.#waiting = new AbortController()
    const unfinished = "SELECT id, name, queued_at FROM upload WHERE processing_state = 'processing'"
    for (const upload of this.#store.all(unfinished)) inBackground(() => this.#scanWhenDue(upload))
  }

  close(): void {
    this.#waiting.abort()
  }

  async #scanWhenDue(upload: Row): Promise<void> {
    const { signal } = this.#waiting
    const id = text(upload, "id")
    const wait = Math.max(0, scanDue(upload, this.#configuration.current) - Date.now())
    await sleep(wait, undefined, { signal }).catch(() => {})
    // After an abort `retry` does nothing: the next `resume` waits again.
    await retry(
      () => this.#store.effect(() => this.#scan(id)),
      signal,
      (error) => this.#log.error({ upload_id: id }, `An upload could not be scanned: ${String(error)}`),
    )
  }

  #scan(id: string): void {
    const upload = this.#store.one("SELECT name, media_type, content, scans FROM upload WHERE id = ?", id)
    this.#store.update("upload", id, outcomeOf(upload, this.#configuration.current))
  }
}

/** When the scan of an upload ends, in milliseconds since 1970. */
export function scanDue(upload: Row, configuration: Configuration): number {
  const extra = demonstrationOf(configuration).extraScanSeconds(text(upload, "name"))
  return integer(upload, "queued_at") + Math.round((SCAN_SECONDS * configuration.pace + extra) * 1000)
}

function outcomeOf(upload: Row, configuration: Configuration) {
  const demonstration = demonstrationOf(configuration)
  const isFirstScan = integer(upload, "scans") === 1
  if (isFirstScan && demonstration.hasStaleSignatures(text(upload, "name")))
    return { processing_state: "scan_failed", failure_code: "stale_signatures", detected_type: null }
  const content = Buffer.from(bytes(upload, "content")).toString()
  if (demonstration.isMalware(content))
    return { processing_state: "quarantined", failure_code: "malware_detected", detected_type: null }
  const detected_type = isJson(content) ? "application/json" : declaredType(upload)
  return { processing_state: "available", failure_code: null, detected_type }
}

/** The declared media type, or `text/plain` for content that was declared as JSON and does not parse. */
function declaredType(upload: Row): string {
  const mediaType = text(upload, "media_type")
  return mediaType === "application/json" ? "text/plain" : mediaType
}

function isJson(content: string): boolean {
  // A file that holds only a number, a word or a quoted text is JSON by chance.
  if (!/^\s*[[{]/.test(content)) return false
  try {
    JSON.parse(content)
    return true
  } catch {
    return false
  }
}
