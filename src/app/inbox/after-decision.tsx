import { useQuery } from "@tanstack/react-query"
import { workOptions } from "../client/work-reads.ts"
import { Fact } from "../ui/facts.tsx"
import { useNow } from "../ui/now.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { WorkStatusMark } from "../ui/status.tsx"
import { momentOf } from "../ui/time-words.ts"

const QUIET_MS = 5 * 60_000
/** The answer or decision itself changes the Work, within this time after the recorded moment. */
const OWN_CHANGE_MS = 2_000

type Props = {
  workId: string
  /** When it was recorded, ISO 8601. */
  since: string | undefined
  /** "answer" or "decision". */
  what: string
  /** When the last event of the Work came, in ms since 1970, where its stream is open. */
  lastEventAt?: number | undefined
}

/** A line of `Facts`: the state of the Work after an answer or a decision, and whether nothing has happened for five minutes. */
export function AfterDecision({ workId, since, what, lastEventAt }: Props) {
  const work = useQuery(workOptions(workId)).data
  const now = useNow(5_000)
  if (work === undefined) return null
  const recordedAt = momentOf(since ?? "") ?? now
  const activeAt = Math.max(momentOf(work.updated_at) ?? 0, lastEventAt ?? 0)
  const quiet = work.status !== "done" && activeAt <= recordedAt + OWN_CHANGE_MS && now - recordedAt >= QUIET_MS
  return (
    <Fact name="Then">
      <WorkStatusMark status={work.status} /> <RelativeTime at={work.updated_at} className="soft small" />
      {quiet && <div>No activity for five minutes since your {what}.</div>}
      {work.attention_question !== undefined && (
        <div>
          Asks: <OutsideText>{work.attention_question}</OutsideText>
        </div>
      )}
      {work.completion_summary !== undefined && (
        <div>
          <OutsideText multiline>{work.completion_summary}</OutsideText>
        </div>
      )}
    </Fact>
  )
}
