import { useQuery } from "@tanstack/react-query"
import { type ComponentProps, useState } from "react"
import { countOf } from "../../contract/plural.ts"
import type { Artifact } from "../../contract/resources.ts"
import { unreadOf } from "../client/check-resource.ts"
import { type DeskError, isSameError } from "../client/desk-error.ts"
import { UnreadDetails } from "../inbox/unread-item.tsx"
import { Button } from "../ui/button.tsx"
import { Read } from "../ui/error-alert.tsx"
import { HiddenName, OutsideText } from "../ui/outside-text.tsx"
import { formatBytes, formatExactBytes, safeFileName, saveFile } from "../ui/save-file.ts"
import { EmptySection, Section } from "../ui/page-parts.tsx"
import { makeArchive } from "./zip-results.ts"
import { artifactsOptions, isAvailable } from "./read-artifact.ts"
import styles from "./artifacts.module.css"
import { useArtifactDownload } from "./artifact-download.tsx"
import { DownloadOutcome, useDownload, Verified } from "./download.tsx"
import { Excerpt, useExcerpts } from "./excerpts.tsx"
import { PreviewDialog } from "./preview-dialog.tsx"
import { previewKind } from "./preview-source.ts"
import { CopyButton, Identifier } from "../ui/copy-button.tsx"
import { Details, Fact } from "../ui/facts.tsx"
import { Icon } from "../ui/icon.tsx"
import { lookUp } from "../ui/look-up.ts"
import { MixedScripts } from "../ui/mixed-scripts.tsx"
import { RelativeTime } from "../ui/clocks.tsx"
import { type Look, Status } from "../ui/status.tsx"

type WorkProps = { workId: string; shownError: DeskError | undefined }

/** The results of a Work: their states, downloads and previews. */
export function WorkArtifacts({ workId, shownError }: WorkProps) {
  const { data, error, refetch } = useQuery(artifactsOptions(workId))
  const [previewed, setPreviewed] = useState<Artifact>()
  const ownError = isSameError(error, shownError) ? null : error
  if (ownError === null && (data === undefined || data.length === 0))
    return <EmptySection label="Artifacts" isKnown={data !== undefined} />
  const withPreview = data?.filter((each) => isAvailable(each) && previewKind(each) !== undefined) ?? []
  return (
    <Section title="Results" label="Artifacts">
      <Read query={{ data, error: ownError, refetch }} loading={null} kept="The list below may be out of date.">
        {(artifacts) => <Results workId={workId} artifacts={artifacts} onPreview={setPreviewed} />}
      </Read>
      {previewed && (
        <PreviewDialog
          artifact={previewed}
          all={withPreview}
          onChoose={setPreviewed}
          onClose={() => setPreviewed(undefined)}
        />
      )}
    </Section>
  )
}

type ResultsProps = { workId: string; artifacts: readonly Artifact[]; onPreview: (artifact: Artifact) => void }

function Results({ workId, artifacts, onPreview }: ResultsProps) {
  const available = artifacts.filter(isAvailable)
  const { sources, onInView } = useExcerpts(artifacts)
  return (
    <>
      <ul className={styles["files"]}>
        {artifacts.map((artifact) =>
          unreadOf(artifact) === undefined ? (
            // A new version of the path keeps the row, so that its download goes on.
            <ArtifactRow
              key={artifact.path}
              artifact={artifact}
              excerpt={sources.has(artifact.path) ? { source: sources.get(artifact.path), onInView } : undefined}
              onPreview={() => onPreview(artifact)}
            />
          ) : (
            <UnreadArtifact key={artifact.id} artifact={artifact} />
          ),
        )}
      </ul>
      {available.length > 1 && (
        <DownloadAll workId={workId} artifacts={available} leftOut={artifacts.length - available.length} />
      )}
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
          Saved {countOf(artifacts.length, "result")}
          {unverified.length > 0 && (
            <>
              . The sizes are right. These files aren't verified, because their hash type is unknown:{" "}
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
        {countOf(artifacts.length, "result")} in one archive, {formatBytes(whole)}
        {leftOut > 0 && `; ${leftOut} not available`}
      </span>
      <DownloadOutcome what="the archive" whole={whole} count={artifacts.length} download={download} />
    </div>
  )
}

/** The beginning of a result, where it stands on the page. */
type RowExcerpt = Pick<ComponentProps<typeof Excerpt>, "source" | "onInView">

type Props = {
  artifact: Artifact
  excerpt: RowExcerpt | undefined
  onPreview: () => void
}

function ArtifactRow({ artifact, excerpt, onPreview }: Props) {
  const download = useArtifactDownload(artifact)
  const available = isAvailable(artifact)
  const kind = previewKind(artifact)
  const path = <HiddenName>{artifact.path}</HiddenName>
  return (
    <li className={styles["file"]}>
      <div className={styles["line"]}>
        <Icon name="file" />
        <span className={styles["path"]}>
          <OutsideText>{artifact.path}</OutsideText>
        </span>
        <MixedScripts text={artifact.path} />
        <span className="soft small" title={formatExactBytes(artifact.size)}>
          {formatBytes(artifact.size)}
        </span>
        {!available && <ArtifactState artifact={artifact} />}
        <div className={styles["actions"]}>
          {available && kind !== undefined && (
            <Button kind="plain" size="small" onClick={onPreview}>
              Preview{path}
            </Button>
          )}
          {available && (
            <Button kind="plain" size="small" onClick={download.start} inactive={download.isRunning}>
              Download{path}
            </Button>
          )}
        </div>
      </div>
      <div className={styles["below"]}>
        {!available && <p className="small">{lookOf(artifact).why}</p>}
        {download.outcome}
        {excerpt && <Excerpt path={artifact.path} {...excerpt} onOpen={onPreview} />}
        <Details>
          <Fact name="Type">
            <OutsideText>{artifact.media_type}</OutsideText>
          </Fact>
          <Fact name="Version">{artifact.version.toString()}</Fact>
          <Fact name="Created">
            <RelativeTime at={artifact.created_at} />
          </Fact>
          <Fact name="Hash">
            <span className="mono">
              <OutsideText>{artifact.content_hash}</OutsideText>
            </span>
            <CopyButton text={artifact.content_hash} what="the hash" />
          </Fact>
        </Details>
      </div>
    </li>
  )
}

function UnreadArtifact({ artifact }: { artifact: Artifact }) {
  return (
    <li className={styles["file"]}>
      <div className={styles["line"]}>
        <Icon name="unknown" />
        This result can't be read
      </div>
      <div className={styles["below"]}>
        <UnreadDetails of={artifact} />
      </div>
    </li>
  )
}

/** `why`: why a result that is not available has no download, in a sentence. */
type ResultLook = Look & { readonly why: string }

const looks: Readonly<Record<string, ResultLook>> = {
  available: { tone: "good", icon: "done", word: "Available", why: "" },
  processing: {
    tone: "neutral",
    icon: "working",
    word: "Being scanned",
    why: "Still being processed. You can download it here once it's ready.",
  },
  quarantined: {
    tone: "bad",
    icon: "warning",
    word: "Quarantined",
    why: "The service's scan flagged this file.",
  },
  scan_failed: {
    tone: "bad",
    icon: "warning",
    word: "Scan failed",
    why: "You can't download this because its scan failed.",
  },
  failed: { tone: "bad", icon: "warning", word: "Failed", why: "You can't download this because processing failed." },
  expired: { tone: "warn", icon: "clock", word: "Expired", why: "This file has expired." },
}

const lookOf = ({ processing_state: state = "available" }: Artifact): ResultLook =>
  lookUp(looks, state) ?? {
    tone: "neutral",
    icon: "unknown",
    word: state,
    why: "You can't download this because its state is unknown.",
  }

/** The processing state of a result that is not available: a symbol with a word, and its failure code. A state that the app does not know is shown as it is. */
function ArtifactState({ artifact }: { artifact: Artifact }) {
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
