import { CopyButton } from "../ui/copy-button.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import styles from "./kept-text.module.css"

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
