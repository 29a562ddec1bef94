import { useQueryClient } from "@tanstack/react-query"
import { Link } from "react-router"
import { useDeskMutation } from "../client/desk-queries.ts"
import { setAside } from "../client/team.ts"
import { changeEntry } from "../client/waiting.ts"
import { Button } from "../ui/button.tsx"
import { classes } from "../ui/classes.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import type { InboxLine } from "./inbox-lines.ts"
import styles from "./inbox.module.css"
import { titleOf } from "./item.ts"
import teamStyles from "./team.module.css"

type Props = {
  aside: readonly InboxLine[]
  approved: readonly InboxLine[]
  /** Called with the key of an item before it comes back into the list. */
  onBringBack: (key: string) => void
}

/** Two folded lists of what waits outside the main list: set aside by the person, or approved by them and still in need of another person. */
export function OtherLines({ aside, approved, onBringBack }: Props) {
  return (
    <>
      <Lines name="Set aside" lines={aside} onBringBack={onBringBack} />
      <Lines name="Approved by you, needs another approval" lines={approved} onBringBack={onBringBack} />
    </>
  )
}

type LinesProps = Pick<Props, "onBringBack"> & { name: string; lines: readonly InboxLine[] }

function Lines({ name, lines, onBringBack }: LinesProps) {
  if (lines.length === 0) return null
  return (
    <details className={classes(styles["others"], teamStyles["others"])}>
      <summary>
        {name} ({lines.length})
      </summary>
      <ul>
        {lines.map((line) => (
          <li key={line.key}>
            <span>
              <Link to={line.to}>
                <OutsideText>{titleOf(line.entry.item)}</OutsideText>
              </Link>
              {line.entry.aside && (
                <>
                  <br />
                  <span className="soft small">
                    Back <RelativeTime at={line.entry.aside.until} />
                  </span>
                </>
              )}
            </span>
            {line.entry.aside && <BringBack line={line} onBringBack={() => onBringBack(line.key)} />}
          </li>
        ))}
      </ul>
    </details>
  )
}

type BringBackProps = { line: InboxLine; onBringBack: () => void }

function BringBack({ line: { id, entry }, onBringBack }: BringBackProps) {
  const client = useQueryClient()
  const [work, item] = id
  const bringBack = useDeskMutation(() => setAside({ work, item, version: String(entry.item.version), until: null }), {
    onDone: () => {
      onBringBack()
      changeEntry(client, work, item, { aside: undefined })
    },
  })
  return (
    <>
      <Button size="small" inactive={bringBack.isPending} onClick={() => bringBack.mutate()}>
        Bring back
        <span className="visually-hidden">
          {" "}
          <OutsideText>{titleOf(entry.item)}</OutsideText>
        </span>
      </Button>
      <ErrorAlert error={bringBack.error} compact />
    </>
  )
}
