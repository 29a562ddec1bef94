/** The EICAR test string in two halves. A virus scanner would remove this source file if it held the whole string. */
export const EICAR = ["X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-", "STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"].join("")

const SLOW_SCAN_SECONDS = 10

/** The final state of the first result Artifact of a Work. */
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
 * The values that make the embedded service show rare states, as the test cards of a payment service do. docs/embedded-service.md, "Values
 * for demonstrations", lists them.
 */
export type Demonstration = {
  /** Whether the scan of this upload content ends with `malware_detected`. */
  isMalware(content: string): boolean
  /** Whether the first scan of an upload of this name fails with `stale_signatures`. */
  hasStaleSignatures(name: string): boolean
  /** The additional seconds of the scan of an upload of this name. `pace` does not change them. */
  extraScanSeconds(name: string): number
  /** Whether the data policy blocks this content or objective. */
  isBlocked(text: string): boolean
  /**
   * The final state of this objective's first result Artifact. Undefined: `available`. Of several values the first in ARTIFACT_ENDS
   * counts.
   */
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

/**
 * The values for demonstrations, of the configuration or of a Work, which keeps the configuration's `demonstration` from its beginning. With
 * `"demonstration": false` none of them has an effect.
 */
export function demonstrationOf({ demonstration }: { readonly demonstration: boolean }): Demonstration {
  return demonstration ? SWITCHED_ON : SWITCHED_OFF
}
