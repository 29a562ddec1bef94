import type { ReactNode } from "react"
import type { Attention } from "../../contract/resources.ts"
import { Card } from "../ui/card.tsx"
import { Fact, Facts } from "../ui/facts.tsx"
import { KeptText } from "../inbox/kept-text.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { Status } from "../ui/status.tsx"
import styles from "./attention.module.css"
import { ClarificationFacts } from "./clarification-facts.tsx"

type Props = {
  /** What is known of it; undefined where nothing is. */
  attention: Attention | undefined
  /** What the person had typed. */
  typed: string
  level: 2 | 3
  /** What the service said to an answer that was sent. */
  children?: ReactNode
}

/** A clarification that was resolved elsewhere: what is known, read-only. */
export function ClarificationTombstone({ attention, typed, level, children }: Props) {
  return (
    <Card
      level={level}
      title={
        attention === undefined ? "A question that is no longer open" : <OutsideText>{attention.title}</OutsideText>
      }
      aside={<Status icon="done">No longer open</Status>}
    >
      {children}
      <p className={styles["gone"]}>This was answered elsewhere, or is no longer asked. Nothing can be sent to it.</p>
      {attention !== undefined && (
        <>
          {attention.status === "resolved" && (
            <Facts>
              {attention.resolution !== undefined && (
                <Fact name="Answer">
                  <OutsideText multiline>{attention.resolution}</OutsideText>
                </Fact>
              )}
              {attention.resolved_by !== undefined && (
                <Fact name="Answered by">
                  <OutsideText>{attention.resolved_by}</OutsideText>
                </Fact>
              )}
              {attention.resolved_at !== undefined && (
                <Fact name="Answered">
                  <RelativeTime at={attention.resolved_at} />
                </Fact>
              )}
            </Facts>
          )}
          <ClarificationFacts attention={attention} />
          <p className="soft small">version {String(attention.version)}</p>
        </>
      )}
      <KeptText what="answer" text={typed} />
    </Card>
  )
}
