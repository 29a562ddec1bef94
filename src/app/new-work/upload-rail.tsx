import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useId, useRef, useState } from "react"
import { INPUTS_MAX, UPLOAD_MAX_BYTES } from "../../contract/limits.ts"
import { Notice } from "../ui/notice.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { type Chosen, nameForPasted, readFile, readText } from "./read-input-file.ts"
import { UploadRow } from "./upload-row.tsx"
import styles from "./upload-rail.module.css"
import { addInputs } from "./uploads.ts"
import type { Input } from "./use-inputs.ts"
import { readWorkDraft } from "./work-draft.ts"

type Props = {
  inputs: readonly Input[]
  locked: boolean
  /** Told of files that were chosen and not yet read (1), and of the end of that (-1): they are no line of the rail yet. */
  onReading: (change: 1 | -1) => void
}

/** Where files are dropped, pasted or chosen, and how each of them stands. */
export function UploadRail({ inputs, locked, onReading }: Props) {
  const client = useQueryClient()
  const id = useId()
  const [noRoom, setNoRoom] = useState<readonly string[]>([])
  const [over, setOver] = useState(false)

  const add = (chosen: readonly Chosen[]) => setNoRoom(addInputs(chosen, client))
  const addFiles = async (files: readonly File[]) => {
    if (locked || files.length === 0) return
    onReading(1)
    add(await Promise.all(files.map(readFile)))
    onReading(-1)
  }
  useTaking({
    onFiles: (files) => void addFiles(files),
    onText: (text) => {
      if (locked || text === "") return
      const taken = readWorkDraft().inputs.map(({ name }) => name)
      add([readText(nameForPasted(text, taken), text)])
    },
    onOver: setOver,
  })

  return (
    <div>
      <label htmlFor={id} className={styles["label"]}>
        Inputs
        <span
          aria-hidden="true"
          className={styles["aside"]}
          data-aside={`up to ${INPUTS_MAX} · CSV, JSON, Markdown, text · ${UPLOAD_MAX_BYTES / 1024} KiB each`}
        />
      </label>
      <div className={styles["drop"]} data-over={over}>
        <span>
          Drop files here, or <u>choose files</u>
        </span>
        <span className="small">A text or file that you paste outside a field becomes one too.</span>
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
        At most {INPUTS_MAX} files of CSV, JSON, Markdown or plain text, {UPLOAD_MAX_BYTES / 1024} KiB each. Each is
        sent as soon as it is chosen.
      </span>
      {noRoom.length > 0 && (
        <div className={styles["noRoom"]}>
          <Notice announce="alert" tone="bad" icon="warning" compact>
            <span>
              Not taken, because Work has {INPUTS_MAX} files at most: <OutsideText>{noRoom.join(", ")}</OutsideText>
            </span>
          </Notice>
        </div>
      )}
      {inputs.length > 0 && (
        <ul className={styles["rows"]}>
          {inputs.map((input) => (
            <UploadRow key={input.draft.id} input={input} locked={locked} onRemoved={() => setNoRoom([])} />
          ))}
        </ul>
      )}
    </div>
  )
}

type Taking = {
  onFiles: (files: readonly File[]) => void
  onText: (text: string) => void
  onOver: (over: boolean) => void
}

/** Takes in what is dropped anywhere on the page, and what is pasted outside its text fields. */
function useTaking(taking: Taking): void {
  const latest = useRef(taking)
  useEffect(() => {
    latest.current = taking
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
      // Without this the browser leaves the page for the file.
      event.preventDefault()
      latest.current.onFiles([...event.dataTransfer.files])
    }
    const leave = (event: DragEvent) => event.relatedTarget === null && latest.current.onOver(false)
    const paste = (event: ClipboardEvent) => {
      if (event.clipboardData === null || takesText(event.target)) return
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

function takesText(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "file" && target.type !== "checkbox"
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLElement && target.isContentEditable)
}
