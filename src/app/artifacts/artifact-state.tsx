import type { Artifact } from "../../contract/resources.ts"
import type { IconName } from "../ui/icon.tsx"
import { Identifier } from "../ui/identifier.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { Status } from "../ui/status.tsx"
import styles from "./artifacts.module.css"

type Look = {
  readonly tone: "neutral" | "good" | "warn" | "bad"
  readonly icon: IconName
  readonly word: string
  readonly why: string
}

const looks: Readonly<Record<string, Look>> = {
  available: { tone: "good", icon: "done", word: "Available", why: "" },
  processing: {
    tone: "neutral",
    icon: "working",
    word: "Being scanned",
    why: "It cannot be downloaded yet: it is still being processed. It becomes available here by itself.",
  },
  quarantined: {
    tone: "bad",
    icon: "warning",
    word: "Quarantined",
    why: "It cannot be downloaded: its scan found something, and the service keeps it apart.",
  },
  scan_failed: {
    tone: "bad",
    icon: "warning",
    word: "Scan failed",
    why: "It cannot be downloaded: its scan could not be finished.",
  },
  failed: { tone: "bad", icon: "warning", word: "Failed", why: "It cannot be downloaded: its processing failed." },
  expired: { tone: "warn", icon: "clock", word: "Expired", why: "It cannot be downloaded any more: it has expired." },
}

const lookOf = ({ processing_state: state = "available" }: Artifact): Look =>
  (Object.hasOwn(looks, state) ? looks[state] : undefined) ?? {
    tone: "neutral",
    icon: "unknown",
    word: state,
    why: "It cannot be downloaded: this app does not know its state.",
  }

/** The processing state of a result as a symbol with a word, and its failure code as it is. A state that the app does not know is shown as it is. */
export function ArtifactState({ artifact }: { artifact: Artifact }) {
  const { tone, icon, word } = lookOf(artifact)
  return (
    <div className={styles["state"]}>
      <Status tone={tone} icon={icon}>
        <OutsideText>{word}</OutsideText>
      </Status>
      {artifact.failure_code !== undefined && <Identifier value={artifact.failure_code} />}
    </div>
  )
}

/** Why a result that is not available has no download, in a sentence. */
export const whyNot = (artifact: Artifact): string => lookOf(artifact).why
