import { useEffect, useId, useRef, useState } from "react"
import { INPUTS_MAX, UPLOAD_MAX_BYTES } from "../../contract/limits.ts"
import { useMissingRole } from "../client/person.ts"
import { Callout } from "../ui/callout.tsx"
import { FieldLabel } from "../ui/field.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { typesText } from "../ui/typing.ts"
import { useKeptFocus } from "../ui/use-kept-focus.ts"
import type { Input } from "./input-states.ts"
import { addInputs } from "./input-uploads.ts"
import { readFile } from "./read-input-file.ts"
import styles from "./upload-list.module.css"
import { UploadRow } from "./upload-row.tsx"

type Props = {
  inputs: readonly Input[]
  isSending: boolean
  /** The uploads that were sent with a Work whose outcome is unknown. */
  sentUploads: readonly string[]
  /** Called with 1 before files are read, and with -1 when they have been read and are inputs of the draft. */
  onReading: (change: 1 | -1) => void
}

/** Where files are dropped, pasted or chosen, and the list of the inputs. */
export function UploadList({ inputs, isSending, sentUploads, onReading }: Props) {
  const locked = useMissingRole("createWork") !== undefined || isSending
  const id = useId()
  const [noRoom, setNoRoom] = useState<readonly string[]>([])
  const list = useRef<HTMLDivElement>(null)
  useKeptFocus(list, () => list.current?.querySelector<HTMLElement>("[data-remove]") ?? document.getElementById(id))

  const addFiles = async (files: readonly File[]) => {
    if (locked || files.length === 0) return
    onReading(1)
    setNoRoom(addInputs(await Promise.all(files.map(readFile))))
    onReading(-1)
  }
  const isOver = useDropAndPaste((files) => void addFiles(files))

  return (
    <div ref={list}>
      <FieldLabel
        control={id}
        aside={`up to ${INPUTS_MAX} · CSV, JSON, Markdown, text · ${UPLOAD_MAX_BYTES / 1024} KiB each`}
      >
        Inputs
      </FieldLabel>
      <div className={styles["drop"]} data-over={isOver}>
        <span>
          Drop files here, or <u>choose files</u>
        </span>
        <span className="small">You can also paste files.</span>
        <input
          id={id}
          type="file"
          multiple
          disabled={locked}
          aria-describedby={`${id}-hint`}
          onChange={(event) => {
            void addFiles([...(event.target.files ?? [])])
            // The browser reports the same file again only after the field was emptied.
            event.target.value = ""
          }}
        />
      </div>
      <span id={`${id}-hint`} className="visually-hidden">
        Up to {INPUTS_MAX} CSV, JSON, Markdown or plain text files, {UPLOAD_MAX_BYTES / 1024} KiB each. Files are sent
        as soon as you choose them.
      </span>
      {noRoom.length > 0 && (
        <div className={styles["below"]}>
          <Callout announce="alert" tone="bad" icon="warning" compact>
            <span>
              Work can have at most {INPUTS_MAX} files. Not added: <OutsideText>{noRoom.join(", ")}</OutsideText>
            </span>
          </Callout>
        </div>
      )}
      {inputs.length > 0 && (
        <ul>
          {inputs.map((input) => (
            <UploadRow
              key={input.draft.id}
              input={input}
              locked={locked}
              isSentWithWork={input.draft.uploadId !== undefined && sentUploads.includes(input.draft.uploadId)}
              onRemoved={() => setNoRoom([])}
            />
          ))}
        </ul>
      )}
    </div>
  )
}

/**
 * Calls `onFiles` for files that are dropped anywhere on the page, or pasted.
 *
 * @returns whether files are over the page now
 */
function useDropAndPaste(onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false)
  useEffect(() => {
    const listening = new AbortController()
    const { signal } = listening
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") === true
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setIsOver(true)
    }
    const drop = (event: DragEvent) => {
      setIsOver(false)
      if (!hasFiles(event)) return
      // Otherwise the browser opens the file in place of the page.
      event.preventDefault()
      onFiles([...(event.dataTransfer?.files ?? [])])
    }
    // Only a pointer that leaves the page enters no other element.
    const leave = (event: DragEvent) => event.relatedTarget === null && setIsOver(false)
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])]
      // A text goes where the browser puts it. A program may copy a picture beside the text that it means.
      if (files.length === 0 || (typesText(event.target) && event.clipboardData?.types.includes("text/plain") === true))
        return
      event.preventDefault()
      onFiles(files)
    }
    document.addEventListener("dragover", over, { signal })
    document.addEventListener("drop", drop, { signal })
    document.addEventListener("dragleave", leave, { signal })
    document.addEventListener("paste", paste, { signal })
    return () => listening.abort()
  })
  return isOver
}
