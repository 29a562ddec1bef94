// The values that make the embedded service show what is rare (the design's table), documented like a payment service's
// test cards. Written in two halves where a virus scanner would otherwise take this file away.
const EICAR = ["X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-", "STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"].join("")

/** The content is the EICAR test file, or contains it: `malware_detected`. */
export function isMalware(content: string): boolean {
  return content.includes(EICAR)
}

/** The first scan of an upload of this name fails on `stale_signatures`; the next one does not. */
export function hasStaleSignatures(name: string): boolean {
  return name.includes("stale-signatures")
}

/** Seconds that the scan of an upload of this name takes besides, whatever `pace` says. */
export function extraScanSeconds(name: string): number {
  return name.includes("slow-scan") ? 10 : 0
}

/** The data policy blocks this content or objective. */
export function isBlocked(text: string): boolean {
  return text.includes("policy:block")
}

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

/** How the first result Artifact of this objective ends, where not as available; of several values the first above counts. */
export function endOfFirstArtifact(objective: string): ArtifactEnd | undefined {
  return Object.entries(ARTIFACT_ENDS).find(([value]) => objective.includes(value))?.[1]
}

/** The data policy blocks the download of this objective's results. */
export function blocksArtifacts(objective: string): boolean {
  return objective.includes("artifact:block")
}
