import { useQueryClient } from "@tanstack/react-query"
import { setAside } from "../client/team.ts"
import { changeEntry } from "../client/waiting.ts"
import { Button } from "../ui/button.tsx"
import { classes } from "../ui/classes.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Link } from "../ui/link.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import type { InboxLine } from "./inbox-lines.ts"
import styles from "./inbox.module.css"
import teamStyles from "./team.module.css"
import { useAct } from "./use-act.ts"

type Props = {
  aside: readonly InboxLine[]
  approved: readonly InboxLine[]
  /** Called with the key of an item before it comes back into the list. */
  onBringBack: (key: string) => void
}

/** What waits and is not in the list: set aside by the person, or approved by them while it needs another person. Both closed. */
export function OtherLines({ aside, approved, onBringBack }: Props) {
  return (
    <>
      {aside.length > 0 && (
        <details className={classes(styles["others"], teamStyles["others"])}>
          <summary>Set aside ({aside.length})</summary>
          <ul>
            {aside.map((line) => (
              <li key={line.key}>
                <span>
                  <LineLink line={line} />
                  <br />
                  <span className="soft small">
                    Back <RelativeTime at={line.entry.aside?.until ?? ""} />
                  </span>
                </span>
                <BringBack line={line} onBringBack={() => onBringBack(line.key)} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {approved.length > 0 && (
        <details className={classes(styles["others"], teamStyles["others"])}>
          <summary>Approved by you, needs another ({approved.length})</summary>
          <ul>
            {approved.map((line) => (
              <li key={line.key}>
                <LineLink line={line} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

const LineLink = ({ line: { to, title } }: { line: InboxLine }) => (
  <Link to={to}>
    <OutsideText>{title}</OutsideText>
  </Link>
)

type BringBackProps = { line: InboxLine; onBringBack: () => void }

function BringBack({ line: { id, title, entry }, onBringBack }: BringBackProps) {
  const client = useQueryClient()
  const { error, act } = useAct()
  const bringBack = async () => {
    await setAside({ work: id[0], item: id[1], version: String(entry.item.version), until: null })
    onBringBack()
    changeEntry(client, ...id, { aside: undefined })
  }
  return (
    <>
      <Button size="small" onClick={() => act(bringBack)}>
        Bring back
        <span className="visually-hidden">
          {" "}
          <OutsideText>{title}</OutsideText>
        </span>
      </Button>
      {error && <ErrorAlert error={error} compact />}
    </>
  )
}
