import type { Artifact } from "../../contract/resources.ts"
import { Button } from "../ui/button.tsx"
import { formatBytes } from "../ui/byte-size.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { safeFileName } from "../ui/safe-name.ts"
import { saveFile } from "../ui/save-file.ts"
import { makeArchive } from "./archive.ts"
import styles from "./artifacts.module.css"
import { DownloadOutcome, Verified } from "./download-outcome.tsx"
import { useDownload } from "./use-download.ts"

type Props = {
  workId: string
  /** The Artifacts that can be downloaded. */
  artifacts: readonly Artifact[]
  /** How many Artifacts of the list cannot be downloaded. */
  leftOut: number
}

/** Downloads every available result in one archive. Every result is checked; if one is wrong, nothing is saved. */
export function DownloadAll({ workId, artifacts, leftOut }: Props) {
  const whole = artifacts.reduce((sum, { size }) => sum + size, 0n)
  const { download, start, cancel } = useDownload(workId, async (reading) => {
    const { blob, check } = await makeArchive(artifacts, reading)
    saveFile(blob, safeFileName(`work-${workId}.zip`))
    return { ...check, count: artifacts.length }
  })
  return (
    <div className={styles["all"]}>
      <Button onClick={start} inactive={download.state === "running"}>
        Download all
      </Button>
      <span className="small soft">
        {artifacts.length} results as one archive, {formatBytes(whole)}
        {leftOut > 0 && `; ${leftOut} not available and left out`}
      </span>
      <DownloadOutcome what="the archive" whole={whole} count={artifacts.length} download={download} onCancel={cancel}>
        {({ algorithms, unverified, count }) => (
          <>
            {algorithms.length > 0 && unverified.length === 0 && <Verified by={algorithms} />}
            <span>
              Saved with {count} results
              {unverified.length > 0 && (
                <>
                  . Their sizes are right. These have no hash of a known form to check:{" "}
                  <OutsideText>{unverified.join(", ")}</OutsideText>
                </>
              )}
            </span>
          </>
        )}
      </DownloadOutcome>
    </div>
  )
}
