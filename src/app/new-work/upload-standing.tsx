import { Link } from "../ui/link.tsx"
import { Identifier } from "../ui/identifier.tsx"
import type { IconName } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { Status } from "../ui/status.tsx"
import styles from "./upload-rail.module.css"
import type { Input, Standing } from "./use-inputs.ts"

type Look = { readonly tone: "neutral" | "good" | "warn" | "bad"; readonly icon: IconName; readonly word: string }

const looks: Readonly<Record<Standing, Look>> = {
  unsent: { tone: "warn", icon: "unknown", word: "Not sent: choose its kind" },
  sending: { tone: "neutral", icon: "working", word: "Sending" },
  waiting: { tone: "warn", icon: "clock", word: "Waiting to be sent" },
  unknown: { tone: "warn", icon: "unknown", word: "Outcome unknown" },
  refused: { tone: "bad", icon: "warning", word: "Refused" },
  reading: { tone: "neutral", icon: "working", word: "Asking how it stands" },
  unreadable: { tone: "bad", icon: "warning", word: "Not there any more" },
  processing: { tone: "neutral", icon: "working", word: "Being scanned" },
  ready: { tone: "good", icon: "done", word: "Ready" },
  failed: { tone: "bad", icon: "warning", word: "Failed" },
  expired: { tone: "warn", icon: "clock", word: "Expired" },
  consumed: { tone: "warn", icon: "done", word: "Consumed" },
}

/** How an input stands, as a symbol with a word; what the service says of a failure stands there as it is. */
export function UploadStanding({ input: { draft, standing, upload } }: { input: Input }) {
  if (draft.problem !== undefined)
    return (
      <Status tone="bad" icon="warning">
        Not sent
      </Status>
    )
  const look = Object.hasOwn(looks, standing) ? looks[standing] : undefined
  if (look === undefined)
    return (
      <Status icon="unknown">
        <OutsideText>{standing}</OutsideText>
      </Status>
    )
  const scanFailed = standing === "failed" && upload?.processing_state === "scan_failed"
  return (
    <output className={styles["standing"]}>
      <Status tone={look.tone} icon={look.icon}>
        {scanFailed ? "Scan failed" : look.word}
      </Status>
      {standing === "consumed" && upload?.work_id !== undefined && (
        <span className="small">
          by{" "}
          <Link to={`/work/${encodeURIComponent(upload.work_id)}`} className={styles["link"]}>
            a Work
          </Link>
        </span>
      )}
    </output>
  )
}

/** What the service says of a failure, as it is. */
export function UploadFailure({ input: { standing, upload } }: { input: Input }) {
  if (standing !== "failed" || upload === undefined) return null
  return (
    <span className={styles["failure"]}>
      {upload.processing_state !== undefined && <Identifier value={upload.processing_state} />}
      {upload.failure_code !== undefined && <Identifier value={upload.failure_code} />}
      {upload.retryable === false && <span>A new scan would not help.</span>}
    </span>
  )
}
