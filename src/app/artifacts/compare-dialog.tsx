import { useQuery } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import type { Artifact } from "../../contract/resources.ts"
import { Button } from "../ui/button.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { Notice } from "../ui/notice.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { compareLines } from "./line-diff.ts"
import { previewKind } from "./preview-kind.ts"
import { previewOptions } from "./preview-source.ts"
import styles from "./preview.module.css"
import { ScrollRegion } from "./scroll-region.tsx"

/** Two versions of a text result, side by side: at first the last two that this page has read. */
export function CompareDialog({ versions, onClose }: { versions: readonly Artifact[]; onClose: () => void }) {
  const [older, setOlder] = useState(versions.length - 2)
  const newest = versions.at(-1)
  const chosen = versions[older]
  return (
    <Dialog title="Compare versions" wide onCancel={onClose}>
      {newest !== undefined && chosen !== undefined && (
        <>
          <p className={styles["head"]}>
            <span className="mono">
              <OutsideText>{newest.path}</OutsideText>
            </span>
            <label className="small">
              Version{" "}
              <select value={older} onChange={(event) => setOlder(Number(event.target.value))}>
                {versions.slice(0, -1).map((version, index) => (
                  <option key={index} value={index}>
                    {version.version.toString()}
                  </option>
                ))}
              </select>{" "}
              beside version {newest.version.toString()}
            </label>
          </p>
          <Comparison key={older} older={chosen} newer={newest} />
        </>
      )}
      <DialogActions>
        <Button data-autofocus onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function Comparison({ older, newer }: { older: Artifact; newer: Artifact }) {
  const before = useText(older)
  const after = useText(newer)
  const lines = useMemo(
    () => (before.text === undefined || after.text === undefined ? undefined : compareLines(before.text, after.text)),
    [before.text, after.text],
  )
  if (before.failed || after.failed)
    return (
      <Notice announce="status" icon="unknown" compact>
        Version {(before.failed ? older : newer).version.toString()} cannot be read any more: the service gives only the
        latest version, and this page has not kept this one.
      </Notice>
    )
  if (lines === undefined) return <p className="soft">Reading the two versions…</p>
  if (lines === "too-different")
    return (
      <Notice announce="status" icon="unknown" compact>
        The two versions differ too much to be compared here.
      </Notice>
    )
  return (
    <ScrollRegion label="Comparison" className={styles["diff"]}>
      {lines.map((line, index) =>
        line.kind === "left-out" ? (
          <div key={index} className={styles["leftOut"]}>
            {line.count.toLocaleString("en")} equal lines
          </div>
        ) : (
          <div key={index} className={styles[line.kind]}>
            <span className={styles["sign"]}>
              {line.kind === "removed" ? "−" : line.kind === "added" ? "+" : " "}
              <span className="visually-hidden">
                {line.kind === "removed" ? "Removed:" : line.kind === "added" ? "Added:" : ""}
              </span>
            </span>
            <OutsideText multiline>{line.text}</OutsideText>
          </div>
        ),
      )}
    </ScrollRegion>
  )
}

function useText(artifact: Artifact): { readonly text: string | undefined; readonly failed: boolean } {
  const { data, error } = useQuery(previewOptions(artifact, previewKind(artifact) ?? "text"))
  const failed = error !== null || (data !== undefined && !("text" in data))
  return { text: data !== undefined && "text" in data ? data.text : undefined, failed }
}
