/** What the demonstration needs of the service besides the API: files that fail a scan, and Work with an older date. */
import type { Store } from "./store/store.ts"

/** The EICAR test string in two halves. A virus scanner would remove this source file if it held the whole string. */
export const EICAR = ["X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-", "STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"].join("")

const SLOW_SCAN_SECONDS = 10

/** The final state of the first result Artifact, by the value in the objective. */
const ARTIFACT_ENDS = {
  "artifact:quarantine": { state: "quarantined", failureCode: "malware_detected" },
  "artifact:scan-failed": { state: "scan_failed", failureCode: "stale_signatures" },
  "artifact:failed": { state: "failed", failureCode: "processing_error" },
  "artifact:expired": { state: "expired", failureCode: "retention_over" },
} as const

/**
 * The values that make the service show rare states (docs/embedded-service.md, "Values for demonstrations"). With `demonstration` false no value
 * has an effect. A Work keeps the `demonstration` that the configuration had when the Work was delegated.
 */
export function demonstrationOf({ demonstration }: { readonly demonstration: boolean }) {
  const has = (text: string, value: string) => demonstration && text.includes(value)
  return {
    /** Whether the scan of this upload content ends with `malware_detected`. */
    isMalware: (content: string) => has(content, EICAR),
    /** Whether the first scan of an upload of this name fails with `stale_signatures`. */
    hasStaleSignatures: (name: string) => has(name, "stale-signatures"),
    /** The additional seconds of the scan of an upload of this name. `pace` does not change them. */
    extraScanSeconds: (name: string) => (has(name, "slow-scan") ? SLOW_SCAN_SECONDS : 0),
    /** Whether the data policy blocks this content or objective. */
    isBlocked: (text: string) => has(text, "policy:block"),
    /** The final state of this objective's first result Artifact. Undefined: `available`. Of several values the first of ARTIFACT_ENDS counts. */
    endOfFirstArtifact: (objective: string) =>
      Object.entries(ARTIFACT_ENDS).find(([value]) => has(objective, value))?.[1],
    /** Whether the data policy blocks the download of this objective's results. */
    blocksArtifacts: (objective: string) => has(objective, "artifact:block"),
  }
}

/** The columns that hold a time, by their table. `backdateWork` changes them. */
const TIMES = {
  work: ["created_at", "updated_at"],
  upload: ["created_at", "expires_at"],
  event: ["occurred_at"],
  artifact: ["created_at"],
  attention: ["created_at", "resolved_at"],
  approval: ["created_at", "resolved_at"],
}

/** Makes a Work and all that belongs to it older by `milliseconds`. The `version` stays. Rejects when the store cannot be written. */
export async function backdateWork(store: Store, workId: string, milliseconds: number): Promise<void> {
  await store.effect(() => {
    for (const [table, columns] of Object.entries(TIMES)) {
      const older = columns.map((column) => `${column} = ${column} - ?1`).join(", ")
      const id = table === "work" ? "id" : "work_id"
      store.run(`UPDATE ${table} SET ${older} WHERE ${id} = ?2`, Math.round(milliseconds), workId)
    }
  })
}
