import type { Attention } from "../../contract/resources.ts"
import { AfterDecision } from "../inbox/after-decision.tsx"
import { Card } from "../ui/card.tsx"
import { Fact, Facts } from "../ui/facts.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { Status } from "../ui/status.tsx"

type Props = {
  /** As the service returned it. */
  attention: Attention
  /** The service had recorded the answer before. */
  replayed: boolean
  level?: 2 | 3
  lastEventAt?: number | undefined
}

/** A recorded answer, read-only: who, when, which version, what, and what the Work did next. */
export function AnswerRecord({ attention, replayed, level = 2, lastEventAt }: Props) {
  const { title, work_id: workId, resolved_by, resolved_at, resolution, version } = attention
  return (
    <Card
      level={level}
      title={<OutsideText>{title}</OutsideText>}
      aside={
        <Status tone="good" icon="done">
          {replayed ? "Answer already recorded" : "Answer recorded"}
        </Status>
      }
    >
      <Facts>
        {resolution !== undefined && (
          <Fact name="Answer">
            <OutsideText multiline>{resolution}</OutsideText>
          </Fact>
        )}
        <Fact name="Answered">
          {resolved_by !== undefined && (
            <>
              by <OutsideText>{resolved_by}</OutsideText>,{" "}
            </>
          )}
          {resolved_at !== undefined && <RelativeTime at={resolved_at} />}
        </Fact>
        <Fact name="Version">{String(version)}</Fact>
        <AfterDecision workId={workId} since={resolved_at} what="answer" lastEventAt={lastEventAt} />
      </Facts>
    </Card>
  )
}
