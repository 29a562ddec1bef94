import { CopyButton } from "../ui/copy-button.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import styles from "./kept-text.module.css"

/** What a person had typed about something that can no longer take it: readable, and to be copied. `what` names it: "comment". */
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
