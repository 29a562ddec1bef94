import type { RecordPage } from "../../contract/desk-work.ts"
import { classes } from "../ui/classes.ts"
import { Icon } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import styles from "./record.module.css"

const SHOWN_CHARACTERS = 8

/** Whether the chain of hashes over the record was complete when the desk last checked it. */
export function RecordChain({ chain }: { chain: RecordPage["chain"] }) {
  if (chain === undefined) return null
  const { complete, rows, head } = chain
  const count = `${rows.toLocaleString()} ${rows === 1 ? "row" : "rows"}`
  return (
    <span className={classes(styles["chain"], !complete && styles["broken"])}>
      <Icon name={complete ? "done" : "warning"} size={15} /> {complete ? "Chain complete" : "Chain broken"}, {count}
      {head !== "" && (
        <>
          , head{" "}
          <span className="mono" title={head}>
            <OutsideText>{head.slice(0, SHOWN_CHARACTERS)}</OutsideText>
            {head.length > SHOWN_CHARACTERS && "…"}
          </span>
        </>
      )}
    </span>
  )
}
