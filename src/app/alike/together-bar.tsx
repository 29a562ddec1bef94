/** The bar below the table: what is chosen, the decisions, and what is being sent. */
import { useRef } from "react"
import type { AlikeRow } from "./alike-group.ts"
import styles from "./alike.module.css"
import type { useTogether } from "./use-together.tsx"
import approvalStyles from "../approvals/approvals.module.css"
import { Button } from "../ui/button.tsx"
import { classes } from "../ui/classes.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { useShortcuts } from "../ui/shortcuts.ts"
import type { useTooEarly } from "../ui/use-too-early.ts"

type Props = {
  together: ReturnType<typeof useTogether>
  rows: readonly AlikeRow[]
  /** Whether the letter and all rows have been seen. */
  isAllSeen: boolean
  /** Scrolls towards what has not been seen. */
  onReadOn: () => void
  tooEarly: ReturnType<typeof useTooEarly>
}

const WORDS = { approve: "Approve", decline: "Decline" } as const
const SENDING = { approve: "Approving", decline: "Declining" } as const

/** A button that does nothing yet says why. */
export function TogetherBar({ together, rows, isAllSeen, onReadOn, tooEarly }: Props) {
  const { chosen, run, stopped, whyNot, ask } = together
  const bar = useRef<HTMLFieldSetElement>(null)
  const press = (decision: keyof typeof WORDS) => {
    if (whyNot === undefined) return ask(decision)
    tooEarly.refuse(bar.current?.querySelector(`[data-asks="${decision}"]`) ?? null, whyNot)
  }
  useShortcuts({ a: () => press("approve"), d: () => press("decline") })
  const button = (decision: keyof typeof WORDS) => (
    <Button
      kind={decision === "approve" ? "primary" : "secondary"}
      data-asks={decision}
      inactive={whyNot !== undefined}
      onClick={() => press(decision)}
      onIdleClick={() => press(decision)}
    >
      {chosen.length === 0 ? `${WORDS[decision]}…` : `${WORDS[decision]} ${chosen.length}…`}
    </Button>
  )
  const progress = run && `${SENDING[run.decision]} ${Math.min(run.sent + 1, run.of)} of ${run.of}`
  return (
    <fieldset ref={bar} aria-label="Decide together" className={styles["bar"]}>
      {button("approve")}
      {button("decline")}
      <Button
        inactive={!rows.some(({ key }) => together.canChoose(key))}
        onClick={() => together.chooseAllSeen()}
        onIdleClick={(event) => tooEarly.refuse(event.currentTarget, "Nothing else can be chosen yet.")}
      >
        Choose all that are seen
      </Button>
      {/* Both keep their places, so that no other button moves. */}
      <Button className={classes(isAllSeen && approvalStyles["hidden"])} inactive={isAllSeen} onClick={onReadOn}>
        Read to the end
      </Button>
      <Button
        className={classes(run === undefined && approvalStyles["hidden"])}
        inactive={run === undefined}
        onClick={() => run?.stop()}
      >
        Stop
      </Button>
      <output aria-label="Progress" className={styles["progress"]}>
        <OutsideText>{tooEarly.why || (progress ?? stopped ?? `${chosen.length} chosen`)}</OutsideText>
      </output>
    </fieldset>
  )
}
