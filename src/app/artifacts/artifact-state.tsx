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

function lookOf(state: string): Look | undefined {
  return Object.hasOwn(looks, state) ? looks[state] : undefined
}

/** The processing state of a result as a symbol with a word, and its failure code as it is. */
export function ArtifactState({ artifact }: { artifact: Artifact }) {
  const state = artifact.processing_state ?? "available"
  const look = lookOf(state)
  return (
    <div className={styles["state"]}>
      {look === undefined ? (
        <Status icon="unknown">
          <OutsideText>{state}</OutsideText>
        </Status>
      ) : (
        <Status tone={look.tone} icon={look.icon}>
          {look.word}
        </Status>
      )}
      {artifact.failure_code !== undefined && <Identifier value={artifact.failure_code} />}
    </div>
  )
}

/** Why a result that is not available has no download, in a sentence. */
export function whyNot({ processing_state: state }: Artifact): string {
  return lookOf(state ?? "")?.why ?? "It cannot be downloaded: this app does not know its state."
}
