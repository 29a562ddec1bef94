import { useQuery } from "@tanstack/react-query"
import { workOptions } from "../client/work-reads.ts"
import { ITEM_WORDS, type ItemKind, type Resolved } from "./item.ts"
import { RelativeTime, useNow } from "../ui/clocks.tsx"
import { Fact } from "../ui/facts.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { WorkStatusMark } from "../ui/status.tsx"
import { momentOf } from "../ui/time-words.ts"

/** After this time without a change the card says that nothing has happened. */
const QUIET = { ms: 5 * 60_000, words: "five minutes" }
/** A change of the Work within this time after the recorded moment is the answer or decision itself, and no activity. */
const OWN_CHANGE_MS = 2_000

type Props = {
  kind: ItemKind
  workId: string
  resolved: Resolved
  /** When the last event of the Work came, in ms since 1970, where its stream is open. */
  lastEventAt: number | undefined
}

/** The state of the Work after an answer or a decision, and whether nothing has happened for five minutes. */
export function AfterDecision({ kind, workId, resolved, lastEventAt = 0 }: Props) {
  const work = useQuery(workOptions(workId)).data
  const now = useNow(5_000)
  if (work === undefined) return null
  // Without a recorded moment the card never reports inactivity.
  const recordedAt = momentOf(resolved.at ?? "") ?? now
  const activeAt = Math.max(momentOf(work.updated_at) ?? 0, lastEventAt)
  const hasActed = work.status === "done" || activeAt > recordedAt + OWN_CHANGE_MS
  const isQuiet = !hasActed && now - recordedAt >= QUIET.ms
  return (
    <Fact name="Then">
      <WorkStatusMark work={work} /> <RelativeTime at={work.updated_at} className="soft small" />
      {isQuiet && (
        <div>
          No activity for {QUIET.words} since your {ITEM_WORDS[kind].sent}.
        </div>
      )}
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
