import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Artifact } from "../../contract/resources.ts"
import { part } from "../ui/part.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import { artifactsOptions, isAvailable } from "./artifact-queries.ts"
import { ArtifactRow } from "./artifact-row.tsx"
import styles from "./artifacts.module.css"
import { DownloadAll } from "./download-all.tsx"

const PreviewDialog = part("Preview", async () => (await import("./preview-dialog.tsx")).PreviewDialog)

/** The results of a Work: their states, downloads and previews. */
export function WorkArtifacts({ workId }: { workId: string }) {
  const { data: artifacts, error } = useQuery(artifactsOptions(workId))
  const [previewed, setPreviewed] = useState<Artifact>()
  const available = artifacts?.filter(isAvailable) ?? []

  return (
    <>
      {error !== null && (
        <ErrorAlert
          error={error}
          retryAt={error.retryAt}
          compact
          {...(artifacts !== undefined && { kept: "The list is as it was read last." })}
        />
      )}
      {artifacts === undefined && error === null && (
        <p className={styles["loading"]}>
          <Skeleton width="60%" />
        </p>
      )}
      {artifacts?.length === 0 && (
        <p className="soft">No results yet. They appear here as soon as the colleague leaves one.</p>
      )}
      {artifacts !== undefined && artifacts.length > 0 && (
        <ul className={styles["files"]}>
          {artifacts.map((artifact, index) => (
            <ArtifactRow key={keyOf(artifacts, index)} artifact={artifact} onPreview={() => setPreviewed(artifact)} />
          ))}
        </ul>
      )}
      {available.length > 1 && (
        <DownloadAll workId={workId} artifacts={available} leftOut={(artifacts?.length ?? 0) - available.length} />
      )}
      {previewed && <PreviewDialog artifact={previewed} onClose={() => setPreviewed(undefined)} />}
    </>
  )
}

/** The key of a row is its path, so that a new version does not end a download. A path that is listed twice has two rows. */
function keyOf(artifacts: readonly Artifact[], index: number): string {
  const path = artifacts[index]?.path ?? ""
  const before = artifacts.slice(0, index).filter((artifact) => artifact.path === path).length
  return `${before} ${path}`
}
