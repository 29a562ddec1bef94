import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Artifact } from "../../contract/resources.ts"
import { Button } from "../ui/button.tsx"
import { formatBytes } from "../ui/byte-size.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { safeFileName, saveFile } from "../ui/save-file.ts"
import { Skeleton } from "../ui/page-parts.tsx"
import { makeArchive } from "./archive.ts"
import { artifactsOptions, isAvailable } from "./read-artifact.ts"
import { ArtifactRow } from "./artifact-row.tsx"
import styles from "./artifacts.module.css"
import { DownloadOutcome, useDownload, Verified } from "./download.tsx"
import { PreviewDialog } from "./preview-dialog.tsx"

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
          {artifacts.map((artifact) => (
            // A new version of the path keeps the row, so that its download goes on.
            <ArtifactRow key={artifact.path} artifact={artifact} onPreview={() => setPreviewed(artifact)} />
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

type DownloadAllProps = { workId: string; artifacts: readonly Artifact[]; leftOut: number }

/** Downloads every available result in one archive. Every result is checked; if one is wrong, nothing is saved. */
function DownloadAll({ workId, artifacts, leftOut }: DownloadAllProps) {
  const whole = artifacts.reduce((sum, { size }) => sum + size, 0n)
  const download = useDownload(workId, async (reading) => {
    const { blob, algorithms, unverified } = await makeArchive(artifacts, reading)
    saveFile(blob, safeFileName(`work-${workId}.zip`))
    return (
      <>
        {algorithms.length > 0 && unverified.length === 0 && <Verified by={algorithms} />}
        <span>
          Saved with {artifacts.length} results
          {unverified.length > 0 && (
            <>
              . Their sizes are right. These have no hash of a known form to check:{" "}
              <OutsideText>{unverified.join(", ")}</OutsideText>
            </>
          )}
        </span>
      </>
    )
  })
  return (
    <div className={styles["all"]}>
      <Button onClick={download.start} inactive={download.state === "running"}>
        Download all
      </Button>
      <span className="small soft">
        {artifacts.length} results as one archive, {formatBytes(whole)}
        {leftOut > 0 && `; ${leftOut} not available and left out`}
      </span>
      <DownloadOutcome what="the archive" whole={whole} count={artifacts.length} download={download} />
    </div>
  )
}
