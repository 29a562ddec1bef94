import { useEffect, useId, useRef, useState } from "react"
import { INPUTS_MAX, UPLOAD_MAX_BYTES } from "../../contract/limits.ts"
import { useMissingRole } from "../client/person.ts"
import { Button } from "../ui/button.tsx"
import { formatBytes } from "../ui/save-file.ts"
import { Callout, CalloutLine } from "../ui/callout.tsx"
import { FieldLabel } from "../ui/field.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { typesText } from "../ui/typing.ts"
import { useKeptFocus } from "../ui/use-kept-focus.ts"
import type { Input } from "./input-states.ts"
import { addInputs } from "./uploads.ts"
import { nameForPasted, readFile, type ReadInput, readText } from "./read-input-file.ts"
import styles from "./upload-list.module.css"
import { UploadRow } from "./upload-row.tsx"
import { readWorkDraft } from "./work-draft.ts"

type Props = {
  inputs: readonly Input[]
  /** Whether the Work is being sent. */
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
  const [pasted, setPasted] = useState<readonly ReadInput[]>([])
  const list = useRef<HTMLDivElement>(null)
  useKeptFocus(list, () => list.current?.querySelector<HTMLElement>("[data-remove]") ?? document.getElementById(id))

  const add = (added: readonly ReadInput[]) => setNoRoom(addInputs(added))
  const addFiles = async (files: readonly File[]) => {
    if (locked || files.length === 0) return
    onReading(1)
    add(await Promise.all(files.map(readFile)))
    onReading(-1)
  }
  const paste = async (text: string, files: readonly File[]) => {
    if (locked || (text === "" && files.length === 0)) return
    const taken = [...readWorkDraft().inputs, ...pasted].map(({ name }) => name)
    const read =
      files.length > 0 ? await Promise.all(files.map(readFile)) : [readText(nameForPasted(text, taken), text)]
    setPasted((before) => [...before, ...read])
  }
  const isOver = useDropAndPaste({
    onDrop: (files) => void addFiles(files),
    onPaste: (text, files) => void paste(text, files),
  })

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
        <span className="small">A text or file that you paste outside a field can become an input too.</span>
        <input
          id={id}
          type="file"
          multiple
          disabled={locked}
          aria-describedby={`${id}-hint`}
          onChange={(event) => {
            void addFiles([...(event.target.files ?? [])])
            // The browser tells of the same file again only after the field was emptied.
            event.target.value = ""
          }}
        />
      </div>
      <span id={`${id}-hint`} className="visually-hidden">
        At most {INPUTS_MAX} files of CSV, JSON, Markdown or plain text, {UPLOAD_MAX_BYTES / 1024} KiB each. A file is
        sent as soon as it is chosen.
      </span>
      {pasted.length > 0 && (
        <div className={styles["below"]}>
          <Pasted
            pasted={pasted}
            onAdd={() => {
              add(pasted)
              setPasted([])
            }}
            onDiscard={() => setPasted([])}
          />
        </div>
      )}
      {noRoom.length > 0 && (
        <div className={styles["below"]}>
          <Callout announce="alert" tone="bad" icon="warning" compact>
            <span>
              Not added, because Work has {INPUTS_MAX} files at most: <OutsideText>{noRoom.join(", ")}</OutsideText>
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

const SHOWN_CHARACTERS = 400

type PastedProps = { pasted: readonly ReadInput[]; onAdd: () => void; onDiscard: () => void }

/** What was pasted outside a field. A clipboard may hold a password, so nothing of it is sent before a click. */
function Pasted({ pasted, onAdd, onDiscard }: PastedProps) {
  return (
    <Callout announce="status" icon="copy" compact>
      {pasted.map((input) => (
        <div key={input.name}>
          Pasted, not sent: <OutsideText>{input.name}</OutsideText>, {formatBytes(input.bytes)}
          {input.content !== undefined && (
            <div className={styles["pasted"]}>
              <OutsideText multiline>{input.content.slice(0, SHOWN_CHARACTERS).toWellFormed()}</OutsideText>
              {input.content.length > SHOWN_CHARACTERS && "…"}
            </div>
          )}
        </div>
      ))}
      <CalloutLine>
        <Button size="small" onClick={onAdd}>
          Add as input
        </Button>
        <Button kind="plain" size="small" onClick={onDiscard}>
          Discard
        </Button>
      </CalloutLine>
    </Callout>
  )
}

type Handlers = {
  onDrop: (files: readonly File[]) => void
  /** Called with the text that was pasted, or with files. */
  onPaste: (text: string, files: readonly File[]) => void
}

/**
 * Calls the handlers for files that are dropped anywhere on the page, and for what is pasted outside text fields.
 *
 * @returns whether files are over the page now
 */
function useDropAndPaste({ onDrop, onPaste }: Handlers): boolean {
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
      onDrop([...(event.dataTransfer?.files ?? [])])
    }
    // Only a pointer that leaves the page enters no other element.
    const leave = (event: DragEvent) => event.relatedTarget === null && setIsOver(false)
    const paste = (event: ClipboardEvent) => {
      if (event.clipboardData === null || typesText(event.target)) return
      event.preventDefault()
      onPaste(event.clipboardData.getData("text/plain"), [...event.clipboardData.files])
    }
    document.addEventListener("dragover", over, { signal })
    document.addEventListener("drop", drop, { signal })
    document.addEventListener("dragleave", leave, { signal })
    document.addEventListener("paste", paste, { signal })
    return () => listening.abort()
  })
  return isOver
}
