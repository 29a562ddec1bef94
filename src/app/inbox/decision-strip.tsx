import { Link } from "react-router"
import { inboxAddress } from "./addresses.ts"
import styles from "./decision-strip.module.css"
import { useLastDecision } from "./last-decision.ts"
import type { InboxState } from "./use-inbox.ts"
import { Button } from "../ui/button.tsx"
import { Icon } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"

type Props = {
  inbox: Pick<InboxState, "selectedKey" | "position" | "previous" | "next">
  /** The address of the list without an item. */
  home: string
}

/** The line above the card: the last decision, the position in the list, and the buttons for the previous and next item. Always shown, so the letter never moves. */
export function DecisionStrip({ inbox: { selectedKey, position, previous, next }, home }: Props) {
  return (
    <div className={styles["strip"]}>
      {selectedKey !== undefined && (
        <Link to={home} className={styles["back"]} aria-label="Back to the list">
          <Icon name="chevron" size={14} /> List
        </Link>
      )}
      <LastDecision page={home.startsWith("/approvals") ? "/approvals" : "/needs-you"} />
      {selectedKey !== undefined && (
        <>
          <span className={styles["position"]}>{position}</span>
          <Step name="Previous" hotkey="K" go={previous} />
          <Step name="Next" hotkey="J" go={next} />
        </>
      )}
    </div>
  )
}

function LastDecision({ page }: { page: "/approvals" | "/needs-you" }) {
  const last = useLastDecision()
  return (
    <output className={styles["last"]}>
      {last && (
        <>
          <Icon name={last.isUnknown ? "unknown" : "done"} size={14} />
          <span className={styles["cut"]}>
            {last.word}
            {last.title !== "" && (
              <>
                {" · "}
                <OutsideText>{last.title}</OutsideText>
              </>
            )}
          </span>
          <span className={styles["end"]}>
            {last.note !== "" && <span className={styles["note"]}> · {last.note}</span>}
            {" · "}
            <Link to={inboxAddress(page, ...last.id)} className="underlined">
              Open
            </Link>
          </span>
        </>
      )}
    </output>
  )
}

function Step({ name, hotkey, go }: { name: "Previous" | "Next"; hotkey: string; go: (() => void) | undefined }) {
  return (
    <Button
      kind="plain"
      size="small"
      className={styles[name.toLowerCase()]}
      aria-label={name}
      title={`${name} (${hotkey})`}
      inactive={go === undefined}
      {...(go && { onClick: go })}
    >
      <Icon name="chevron" size={14} />
    </Button>
  )
}
