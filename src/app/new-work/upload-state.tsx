import type { InputUpload } from "../../contract/resources.ts"
import { workAddress } from "../inbox/addresses.ts"
import { Identifier } from "../ui/identifier.tsx"
import { Link } from "../ui/link.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { Status } from "../ui/status.tsx"
import { type Input, lookUp } from "./input-state.ts"
import styles from "./upload-list.module.css"

/** The state of an input as a symbol with a word. A word of the service that this app does not know is shown as it is. */
export function UploadState({ input: { state, upload } }: { input: Input }) {
  const look = lookUp(state) ?? { tone: "neutral", icon: "unknown", word: state }
  return (
    <output className={styles["state"]}>
      <Status tone={look.tone} icon={look.icon}>
        <OutsideText>{look.word}</OutsideText>
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
export function UploadFailure({ upload }: { upload: InputUpload | undefined }) {
  if (upload?.status !== "failed") return null
  return (
    <span className={styles["failure"]}>
      {upload.processing_state !== undefined && <Identifier value={upload.processing_state} />}
      {upload.failure_code !== undefined && <Identifier value={upload.failure_code} />}
      {upload.retryable === false && <span>A new scan would not help.</span>}
    </span>
  )
}
