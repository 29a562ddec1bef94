import { workAddress } from "../inbox/addresses.ts"
import type { IconName } from "../ui/icon.tsx"
import { Identifier } from "../ui/identifier.tsx"
import { Link } from "../ui/link.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { Status } from "../ui/status.tsx"
import styles from "./upload-list.module.css"
import type { Input, InputState } from "./use-inputs.ts"

type Look = { readonly tone: "neutral" | "good" | "warn" | "bad"; readonly icon: IconName; readonly word: string }

const looks: Readonly<Record<InputState, Look>> = {
  unsent: { tone: "warn", icon: "unknown", word: "Not sent: choose its kind" },
  sending: { tone: "neutral", icon: "working", word: "Sending" },
  waiting: { tone: "warn", icon: "clock", word: "Waiting to be sent" },
  unknown: { tone: "warn", icon: "unknown", word: "Outcome unknown" },
  refused: { tone: "bad", icon: "warning", word: "Refused" },
  reading: { tone: "neutral", icon: "working", word: "Reading its state" },
  lost: { tone: "bad", icon: "warning", word: "No longer there" },
  processing: { tone: "neutral", icon: "working", word: "Being scanned" },
  ready: { tone: "good", icon: "done", word: "Ready" },
  failed: { tone: "bad", icon: "warning", word: "Failed" },
  expired: { tone: "warn", icon: "clock", word: "Expired" },
  consumed: { tone: "warn", icon: "done", word: "Consumed" },
}

/** The state of an input as a symbol with a word. A word of the service that this app does not know is shown as it is. */
export function UploadState({ input: { draft, state, upload } }: { input: Input }) {
  if (draft.problem !== undefined)
    return (
      <Status tone="bad" icon="warning">
        Not sent
      </Status>
    )
  const look = Object.hasOwn(looks, state) ? looks[state] : undefined
  if (look === undefined)
    return (
      <Status icon="unknown">
        <OutsideText>{state}</OutsideText>
      </Status>
    )
  const scanFailed = state === "failed" && upload?.processing_state === "scan_failed"
  return (
    <output className={styles["state"]}>
      <Status tone={look.tone} icon={look.icon}>
        {scanFailed ? "Scan failed" : look.word}
      </Status>
      {state === "consumed" && upload?.work_id !== undefined && (
        <span className="small">
          by{" "}
          <Link to={workAddress(upload.work_id)} className={styles["link"]}>
            a Work
          </Link>
        </span>
      )}
    </output>
  )
}

/** The service's own words about a failure. */
export function UploadFailure({ input: { state, upload } }: { input: Input }) {
  if (state !== "failed" || upload === undefined) return null
  return (
    <span className={styles["failure"]}>
      {upload.processing_state !== undefined && <Identifier value={upload.processing_state} />}
      {upload.failure_code !== undefined && <Identifier value={upload.failure_code} />}
      {upload.retryable === false && <span>A new scan would not help.</span>}
    </span>
  )
}
