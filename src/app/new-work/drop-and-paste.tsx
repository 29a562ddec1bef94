import { useEffect, useState } from "react"
import { Button } from "../ui/button.tsx"
import { formatBytes } from "../ui/byte-size.ts"
import { Callout, CalloutLine } from "../ui/callout.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import type { ReadInput } from "./read-input-file.ts"
import styles from "./upload-list.module.css"

/** A pasted text is shown up to this length. */
const SHOWN_CHARACTERS = 400

type PastedProps = { pasted: readonly ReadInput[]; onAdd: () => void; onDiscard: () => void }

/** What was pasted outside a field. A clipboard may hold a password, so nothing of it is sent before a click. */
export function Pasted({ pasted, onAdd, onDiscard }: PastedProps) {
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
export function useDropAndPaste({ onDrop, onPaste }: Handlers): boolean {
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
      if (event.clipboardData === null || isTextField(event.target)) return
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

function isTextField(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "file" && target.type !== "checkbox"
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLElement && target.isContentEditable)
}
