import type { Configuration } from "./configuration.ts"

// The EICAR test file, written in two halves: a virus scanner would otherwise remove this source file.
const EICAR = ["X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-", "STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"].join("")

const SLOW_SCAN_SECONDS = 10

/** The state that the first result Artifact of a Work ends in. */
export type ArtifactEnd = {
  readonly state: "quarantined" | "scan_failed" | "failed" | "expired"
  readonly failureCode: string
}

const ARTIFACT_ENDS: Readonly<Record<string, ArtifactEnd>> = {
  "artifact:quarantine": { state: "quarantined", failureCode: "malware_detected" },
  "artifact:scan-failed": { state: "scan_failed", failureCode: "stale_signatures" },
  "artifact:failed": { state: "failed", failureCode: "processing_error" },
  "artifact:expired": { state: "expired", failureCode: "retention_over" },
}

/**
 * The values that make the embedded service show rare states, as a payment service's test cards do. docs/embedded-service.md
 * lists them.
 */
export type Demonstration = {
  /** Whether the scan of this upload content ends with `malware_detected`. */
  isMalware(content: string): boolean
  /** Whether the first scan of an upload of this name fails with `stale_signatures`. */
  hasStaleSignatures(name: string): boolean
  /** The seconds that the scan of an upload of this name takes in addition, whatever `pace` says. */
  extraScanSeconds(name: string): number
  /** Whether the data policy blocks this content or objective. */
  isBlocked(text: string): boolean
  /** The end of this objective's first result Artifact, if it is not `available`. The first value of the list above counts. */
  endOfFirstArtifact(objective: string): ArtifactEnd | undefined
  /** Whether the data policy blocks the download of this objective's results. */
  blocksArtifacts(objective: string): boolean
}

const SWITCHED_ON: Demonstration = {
  isMalware: (content) => content.includes(EICAR),
  hasStaleSignatures: (name) => name.includes("stale-signatures"),
  extraScanSeconds: (name) => (name.includes("slow-scan") ? SLOW_SCAN_SECONDS : 0),
  isBlocked: (text) => text.includes("policy:block"),
  endOfFirstArtifact: (objective) => Object.entries(ARTIFACT_ENDS).find(([value]) => objective.includes(value))?.[1],
  blocksArtifacts: (objective) => objective.includes("artifact:block"),
}

const SWITCHED_OFF: Demonstration = {
  isMalware: () => false,
  hasStaleSignatures: () => false,
  extraScanSeconds: () => 0,
  isBlocked: () => false,
  endOfFirstArtifact: () => undefined,
  blocksArtifacts: () => false,
}

/** The values for demonstrations, or none of them with `"demonstration": false`. */
export function demonstrationOf({ demonstration }: Configuration): Demonstration {
  return demonstration ? SWITCHED_ON : SWITCHED_OFF
}
