import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useId, useRef, useState } from "react"
import { INPUTS_MAX, UPLOAD_MAX_BYTES } from "../../contract/limits.ts"
import { FieldLabel } from "../ui/field.tsx"
import { Notice } from "../ui/notice.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { useKeptFocus } from "../ui/use-kept-focus.ts"
import { type ReadInput, nameForPasted, readFile, readText } from "./read-input-file.ts"
import { UploadRow } from "./upload-row.tsx"
import styles from "./upload-list.module.css"
import { addInputs } from "./uploads.ts"
import type { Input } from "./use-inputs.ts"
import { readWorkDraft } from "./work-draft.ts"

type Props = {
  inputs: readonly Input[]
  locked: boolean
  /** The uploads that were sent with a Work whose outcome is unknown. */
  sentUploads: readonly string[]
  /** Called with 1 before files are read, and with -1 when they have been read and are inputs of the draft. */
  onReading: (change: 1 | -1) => void
}

/** Where files are dropped, pasted or chosen, and the list of the inputs. */
export function UploadList({ inputs, locked, sentUploads, onReading }: Props) {
  const client = useQueryClient()
  const id = useId()
  const [noRoom, setNoRoom] = useState<readonly string[]>([])
  const [over, setOver] = useState(false)
  const list = useRef<HTMLDivElement>(null)
  useKeptFocus(list, () => list.current?.querySelector<HTMLElement>("[data-remove]") ?? document.getElementById(id))

  const add = (added: readonly ReadInput[]) => setNoRoom(addInputs(added, client))
  const addFiles = async (files: readonly File[]) => {
    if (locked || files.length === 0) return
    onReading(1)
    add(await Promise.all(files.map(readFile)))
    onReading(-1)
  }
  useDropAndPaste({
    onFiles: (files) => void addFiles(files),
    onText: (text) => {
      if (locked || text === "") return
      const taken = readWorkDraft().inputs.map(({ name }) => name)
      add([readText(nameForPasted(text, taken), text)])
    },
    onOver: setOver,
  })

  return (
    <div ref={list}>
      <FieldLabel
        control={id}
        aside={`up to ${INPUTS_MAX} · CSV, JSON, Markdown, text · ${UPLOAD_MAX_BYTES / 1024} KiB each`}
      >
        Inputs
      </FieldLabel>
      <div className={styles["drop"]} data-over={over}>
        <span>
          Drop files here, or <u>choose files</u>
        </span>
        <span className="small">A text or file that you paste outside a field becomes an input too.</span>
        <input
          id={id}
          type="file"
          multiple
          disabled={locked}
          aria-describedby={`${id}-hint`}
          onChange={(event) => {
            void addFiles([...(event.target.files ?? [])])
            // The same file can then be chosen again.
            event.target.value = ""
          }}
        />
      </div>
      <span id={`${id}-hint`} className="visually-hidden">
        At most {INPUTS_MAX} files of CSV, JSON, Markdown or plain text, {UPLOAD_MAX_BYTES / 1024} KiB each. A file is
        sent as soon as it is chosen.
      </span>
      {noRoom.length > 0 && (
        <div className={styles["noRoom"]}>
          <Notice announce="alert" tone="bad" icon="warning" compact>
            <span>
              Not added, because Work has {INPUTS_MAX} files at most: <OutsideText>{noRoom.join(", ")}</OutsideText>
            </span>
          </Notice>
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

type Handlers = {
  onFiles: (files: readonly File[]) => void
  onText: (text: string) => void
  onOver: (over: boolean) => void
}

/** Calls the handlers for files that are dropped anywhere on the page, and for what is pasted outside text fields. */
function useDropAndPaste(handlers: Handlers): void {
  const latest = useRef(handlers)
  useEffect(() => {
    latest.current = handlers
  })
  useEffect(() => {
    const listening = new AbortController()
    const { signal } = listening
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes("Files") !== true) return
      event.preventDefault()
      latest.current.onOver(true)
    }
    const drop = (event: DragEvent) => {
      latest.current.onOver(false)
      if (event.dataTransfer?.types.includes("Files") !== true) return
      // Otherwise the browser opens the file in place of the page.
      event.preventDefault()
      latest.current.onFiles([...event.dataTransfer.files])
    }
    const leave = (event: DragEvent) => event.relatedTarget === null && latest.current.onOver(false)
    const paste = (event: ClipboardEvent) => {
      if (event.clipboardData === null || isTextField(event.target)) return
      const files = [...event.clipboardData.files]
      if (files.length > 0) latest.current.onFiles(files)
      else latest.current.onText(event.clipboardData.getData("text/plain"))
      event.preventDefault()
    }
    document.addEventListener("dragover", over, { signal })
    document.addEventListener("drop", drop, { signal })
    document.addEventListener("dragleave", leave, { signal })
    document.addEventListener("paste", paste, { signal })
    return () => listening.abort()
  }, [])
}

function isTextField(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "file" && target.type !== "checkbox"
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLElement && target.isContentEditable)
}
