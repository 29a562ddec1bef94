import { useRef, useState } from "react"
import { Button } from "./button.tsx"
import { Icon } from "./icon.tsx"
import { OutsideText } from "./outside-text.tsx"

type Props = {
  /** The text for the clipboard, exact. */
  text: string
  /** What is copied, for assistive technology: "Copy Request ID". Left out if the visible label is enough. */
  what?: string
  /** The visible word. */
  label?: string
}

/** Copies a text and says whether it worked: a browser may refuse the clipboard. */
export function CopyButton({ text, what, label = "Copy" }: Props) {
  const [outcome, setOutcome] = useState<"Copied" | "Not copied">()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const show = (what: "Copied" | "Not copied") => {
    setOutcome(what)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setOutcome(undefined), 2000)
  }
  const copy = () => {
    // A page without a secure origin has no clipboard.
    const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"))
    written.then(
      () => show("Copied"),
      () => show("Not copied"),
    )
  }
  return (
    <Button kind="plain" size="small" onClick={copy} aria-label={what && `${label} ${what}`}>
      <Icon name={outcome === "Copied" ? "done" : "copy"} size={14} />
      <span aria-live="polite">{outcome ?? label}</span>
    </Button>
  )
}

type IdentifierProps = {
  /** The exact value; an int64 as its digits. */
  value: string
  /** The name of the value, for the button that copies it. Without a name there is no button. */
  copyable?: string
}

/** An opaque value in full, in monospace. */
export function Identifier({ value, copyable }: IdentifierProps) {
  return (
    <span>
      <span className="mono">
        <OutsideText>{value}</OutsideText>
      </span>
      {copyable !== undefined && <CopyButton text={value} what={copyable} />}
    </span>
  )
}
