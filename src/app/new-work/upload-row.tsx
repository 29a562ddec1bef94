import { useQueryClient } from "@tanstack/react-query"
import { Link } from "react-router"
import { UPLOAD_MAX_BYTES } from "../../contract/limits.ts"
import type { InputUpload } from "../../contract/resources.ts"
import { useIntent } from "../client/send-intent.ts"
import { useEntry, useKept } from "../client/storage.ts"
import { retryAtOf } from "../client/stored-intent.ts"
import { workAddress } from "../inbox/addresses.ts"
import { Button } from "../ui/button.tsx"
import { formatBytes, formatExactBytes } from "../ui/save-file.ts"
import { RelativeTime, useIsWaiting } from "../ui/clocks.tsx"
import { Identifier } from "../ui/copy-button.tsx"
import { HiddenName, OutsideText } from "../ui/outside-text.tsx"
import { formatNumber } from "../../contract/plural.ts"
import { Status } from "../ui/status.tsx"
import { type Input, lookOf } from "./input-states.ts"
import {
  inputContents,
  removeInput,
  renewInput,
  scanIntents,
  sendInput,
  sendScan,
  sendUpload,
  uploadIntents,
} from "./input-uploads.ts"
import { isUploadMediaType, mediaTypeChoices } from "./read-input-file.ts"
import { UploadErrors } from "./upload-errors.tsx"
import styles from "./upload-list.module.css"
import { workDraft } from "./work-draft.ts"

type Props = {
  input: Input
  locked: boolean
  /** Whether the input was sent with a Work whose outcome is unknown. Then only that Work can be sent again. */
  isSentWithWork: boolean
  onRemoved: () => void
}

/** An input: its name, its state, and what a person can do about it. */
export function UploadRow({ input, locked, isSentWithWork, onRemoved }: Props) {
  const { draft, state, upload } = input
  const client = useQueryClient()
  const sending = useIntent(uploadIntents(draft.id), sendUpload(client))
  const scan = useIntent(scanIntents(draft.uploadId ?? ""), sendScan(client))

  const isScanPaused = useIsWaiting(retryAtOf(scan.intent))
  const content = inputContents(draft.id)
  const hasContent = useEntry(content) !== undefined
  const isContentKept = useKept(content) === "stored"
  // A reload also loses the file where the browser does not keep the draft that names the file.
  const isDraftKept = useKept(workDraft()) === "stored"
  const isLostByReload = hasContent && !(isContentKept && isDraftKept)
  const canScanAgain = state === "scan_failed" && upload?.retryable === true && !isSentWithWork
  const canSendAgain = lookOf(state)?.needsNewUpload === true && hasContent && !isSentWithWork
  const name = <HiddenName>{draft.name}</HiddenName>

  return (
    <li className={styles["row"]}>
      <div className={styles["line"]}>
        <span id={`${draft.id}-name`} className="mono">
          <OutsideText>{draft.name}</OutsideText>
        </span>
        <span className="soft small" title={formatExactBytes(draft.bytes)}>
          {formatBytes(draft.bytes)}
        </span>
        <UploadState input={input} />
        <span className={styles["actions"]}>
          {canScanAgain && (
            <Button
              size="small"
              disabled={locked}
              inactive={scan.intent?.state === "sending" || isScanPaused}
              onClick={() => {
                // Each new scan has a new key; after an unknown outcome the key stays (openapi.yaml, retryInputUploadProcessing).
                if (scan.intent?.state !== "unknown") scan.discard()
                scan.send({ uploadId: upload.id })
              }}
            >
              Scan again{name}
            </Button>
          )}
          {canSendAgain && (
            <Button size="small" disabled={locked} onClick={() => renewInput(draft)}>
              Send again{name}
            </Button>
          )}
          <Button
            kind="plain"
            size="small"
            disabled={locked}
            data-remove
            onClick={() => {
              removeInput(draft)
              onRemoved()
            }}
          >
            Remove{name}
          </Button>
        </span>
      </div>
      <div className={styles["under"]}>
        <select
          aria-label="Media type"
          aria-describedby={`${draft.id}-name`}
          className={styles["kind"]}
          disabled={locked || !hasContent || isSentWithWork}
          value={draft.mediaType ?? ""}
          onChange={(event) => isUploadMediaType(event.target.value) && renewInput(draft, event.target.value)}
        >
          {draft.mediaType === undefined && <option value="">Choose its type</option>}
          {mediaTypeChoices.map(({ mediaType, word }) => (
            <option key={mediaType} value={mediaType}>
              {`${word} (${mediaType})`}
            </option>
          ))}
        </select>
        <span className={styles["meter"]} data-over={draft.bytes > UPLOAD_MAX_BYTES}>
          <span aria-hidden="true" style={{ width: `${Math.min(draft.bytes / UPLOAD_MAX_BYTES, 1) * 100}%` }} />
        </span>
        <span>
          {formatNumber(draft.bytes)} of {formatExactBytes(UPLOAD_MAX_BYTES)}
        </span>
        <UploadFailure upload={upload} />
        {upload !== undefined && (state === "ready" || state === "processing") && (
          <span>
            Expires <RelativeTime at={upload.expires_at} />
          </span>
        )}
        {upload?.detected_type !== undefined && upload.detected_type !== draft.mediaType && (
          <span>
            The service detected <OutsideText>{upload.detected_type}</OutsideText>
          </span>
        )}
        {isSentWithWork && <span>Sent with the Work below, whose outcome is unknown</span>}
        {isLostByReload && (
          <output>
            The browser&apos;s storage is full or switched off, so you&apos;ll lose this file if you reload this page.
          </output>
        )}
      </div>
      <UploadErrors
        input={input}
        isSentWithWork={isSentWithWork}
        sending={{ ...sending, retry: () => sendInput(draft, client) }}
        scan={scan}
      />
    </li>
  )
}

/** The state of an input as a symbol with a word. A word of the service that this app does not know is shown as it is. */
function UploadState({ input: { state, upload } }: { input: Input }) {
  const look = lookOf(state) ?? { tone: "neutral", icon: "unknown", word: state }
  return (
    <output className={styles["state"]}>
      <Status tone={look.tone} icon={look.icon}>
        <OutsideText>{look.word}</OutsideText>
      </Status>
      {state === "consumed" && upload?.work_id !== undefined && (
        <span className="small">
          by{" "}
          <Link to={workAddress(upload.work_id)} className="underlined">
            a Work
          </Link>
        </span>
      )}
    </output>
  )
}

function UploadFailure({ upload }: { upload: InputUpload | undefined }) {
  if (upload?.status !== "failed") return null
  return (
    <span className={styles["failure"]}>
      {upload.processing_state !== undefined && <Identifier value={upload.processing_state} />}
      {upload.failure_code !== undefined && <Identifier value={upload.failure_code} />}
      {upload.retryable === false && <span>Scanning it again won't help.</span>}
    </span>
  )
}
