import { Button } from "../ui/button.tsx"
import { classes } from "../ui/classes.ts"
import { useShortcuts } from "../ui/shortcuts.ts"
import styles from "./approvals.module.css"
import type { Decision } from "./use-decision.ts"

type Props = {
  version: bigint
  /** Whether what is under the buttons has stood still, and the letter been seen to its end. */
  armed: boolean
  /** The letter has not been seen to its end. */
  unread: boolean
  /** The account may not decide this: no buttons. */
  forbidden: boolean
  /** A and D mean this one, and on a phone its buttons stay in the window. */
  current: boolean
  /** Opens the dialog; nothing here decides. */
  onAsk: (decision: Decision) => void
}

/** The two buttons below the letter, in the window at every scroll position of it. */
export function DecisionBar({ version, armed, unread, forbidden, current, onAsk }: Props) {
  useShortcuts({ a: () => onAsk("approve"), d: () => onAsk("decline") }, { active: current && armed && !forbidden })
  return (
    <div className={classes(styles["room"], current && !forbidden && styles["current"])}>
      <div className={styles["bar"]}>
        {!forbidden && (
          <>
            <Button kind="primary" disabled={!armed} onClick={() => onAsk("approve")}>
              Approve
            </Button>
            <Button kind="danger" disabled={!armed} onClick={() => onAsk("decline")}>
              Decline
            </Button>
            {unread && <span className="soft small">Read to the end of the letter first</span>}
          </>
        )}
        <span className="grow" />
        <span className="soft small">version {String(version)}</span>
      </div>
    </div>
  )
}
