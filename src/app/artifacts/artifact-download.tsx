import type { Artifact } from "../../contract/resources.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { safeFileName, saveFile } from "../ui/save-file.ts"
import { DownloadOutcome, useDownload, VerdictLine } from "./download.tsx"
import { readWhole, type Verdict } from "./read-artifact.ts"

/** The verdict on a content that the person saves although a hash of an unnamed algorithm does not match. */
const UNCHECKED: Verdict = { unverified: "its hash isn't the file's SHA-256" }

/** Saves a content that was fetched, and returns the words about the saved file. */
function saveContent({ path, version }: Artifact, content: Blob, verdict: Verdict) {
  const name = safeFileName(path)
  saveFile(content, name)
  return (
    <>
      <VerdictLine verdict={verdict} />
      <span>
        Saved version {version.toString()} as <OutsideText>{name}</OutsideText>
      </span>
    </>
  )
}

/** The download of one result: what its button does, and its progress and outcome. */
export function useArtifactDownload(artifact: Artifact) {
  const download = useDownload(artifact.work_id, async ({ signal, onProgress }) => {
    const onBytes = (bytes: number) => onProgress(0, bytes)
    const { blob, verdict } = await readWhole(artifact, { signal, onBytes })
    return saveContent(artifact, blob, verdict)
  })
  const outcome = (
    <DownloadOutcome
      what={artifact.path}
      whole={artifact.size}
      download={download}
      onSaveAnyway={(content) => download.setSaved(saveContent(artifact, content, UNCHECKED))}
    />
  )
  return { start: download.start, isRunning: download.state === "running", outcome }
}
