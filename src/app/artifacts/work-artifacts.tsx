import { lazy, Suspense, useState } from "react"
import type { Artifact } from "../../contract/resources.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import { isAvailable, versionsAt, useArtifacts } from "./artifact-queries.ts"
import { ArtifactRow } from "./artifact-row.tsx"
import styles from "./artifacts.module.css"
import { DownloadAll } from "./download-all.tsx"

const PreviewDialog = lazy(async () => ({ default: (await import("./preview-dialog.tsx")).PreviewDialog }))
const CompareDialog = lazy(async () => ({ default: (await import("./compare-dialog.tsx")).CompareDialog }))

type Opened = { readonly as: "preview" | "compare"; readonly artifact: Artifact }

/** The results of a Work: their states, downloads and previews. */
export function WorkArtifacts({ workId }: { workId: string }) {
  const { artifacts, known, error } = useArtifacts(workId)
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  const available = artifacts?.filter(isAvailable) ?? []

  return (
    <>
      {error !== undefined && (
        <ErrorAlert
          error={error}
          retryAt={error.retryAt}
          compact
          {...(artifacts !== undefined && { kept: "The list is as it was read last." })}
        />
      )}
      {artifacts === undefined && error === undefined && (
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
            <ArtifactRow
              key={keyOf(artifacts, index)}
              artifact={artifact}
              versions={versionsAt(known, artifact.path) ?? []}
              onPreview={() => setOpened({ as: "preview", artifact })}
              onCompare={() => setOpened({ as: "compare", artifact })}
            />
          ))}
        </ul>
      )}
      {available.length > 1 && (
        <DownloadAll workId={workId} artifacts={available} leftOut={(artifacts?.length ?? 0) - available.length} />
      )}
      <Suspense>
        {opened?.as === "preview" && <PreviewDialog artifact={opened.artifact} onClose={close} />}
        {opened?.as === "compare" && (
          <CompareDialog versions={versionsAt(known, opened.artifact.path) ?? []} onClose={close} />
        )}
      </Suspense>
    </>
  )
}

/** The key of a row is its path, so that a new version does not end a download. A path that is listed twice has two rows. */
function keyOf(artifacts: readonly Artifact[], index: number): string {
  const path = artifacts[index]?.path ?? ""
  const before = artifacts.slice(0, index).filter((artifact) => artifact.path === path).length
  return `${before} ${path}`
}
