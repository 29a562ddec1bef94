import { type Entry, useKept } from "../client/storage.ts"
import { CopyButton } from "../ui/copy-button.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import styles from "./item-card.module.css"

/** Shows a text that can no longer be sent, with a button to copy it. `what` names the text: "comment". */
export function KeptText({ what, text }: { what: string; text: string }) {
  if (text === "") return null
  return (
    <div className={styles["kept"]}>
      <div className="soft small">
        Your {what}, not sent <CopyButton text={text} what={`your ${what}`} />
      </div>
      <OutsideText multiline>{text}</OutsideText>
    </div>
  )
}

/** Says whether the browser keeps the draft, so that nobody loses a draft by a reload without a warning. */
export function DraftNote({ draft }: { draft: Pick<Entry<unknown>, "kept"> }) {
  const kept = useKept(draft)
  if (kept === "stored") return <span className="soft small">Draft kept</span>
  return (
    <output className="small">
      {kept === "page"
        ? "This text is not kept: the browser's storage is full or switched off. Copy it before you leave or reload this page."
        : "This is an older text: the browser's storage was full, and what was typed after it is lost."}
    </output>
  )
}
