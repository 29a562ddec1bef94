import { useId, useRef, useState } from "react"
import { INPUTS_MAX, UPLOAD_MAX_BYTES } from "../../contract/limits.ts"
import { useMissingRole } from "../client/missing-role.ts"
import { FieldLabel } from "../ui/field.tsx"
import { Callout } from "../ui/callout.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { useKeptFocus } from "../ui/use-kept-focus.ts"
import { Pasted, useDropAndPaste } from "./drop-and-paste.tsx"
import type { Input } from "./input-state.ts"
import { nameForPasted, type ReadInput, readFile, readText } from "./read-input-file.ts"
import { UploadRow } from "./upload-row.tsx"
import styles from "./upload-list.module.css"
import { addInputs } from "./uploads.ts"
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
