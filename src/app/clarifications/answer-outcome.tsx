import type { Clarification } from "../client/waiting.ts"
import { Status } from "../ui/status.tsx"

type Props = { item: Clarification; replayed: boolean; recordedHere: boolean }

/** How a clarification ended, as an icon with a word. */
export function AnswerOutcome({ replayed, recordedHere }: Props) {
  if (!recordedHere) return <Status icon="done">No longer open</Status>
  return (
    <Status tone="good" icon="done">
      {replayed ? "Answer already recorded" : "Answer recorded"}
    </Status>
  )
}
