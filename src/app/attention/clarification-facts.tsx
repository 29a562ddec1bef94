import type { ReactNode } from "react"
import type { Attention } from "../../contract/resources.ts"
import type { LetterProps } from "../inbox/item-variant.ts"
import { ChangedText } from "../ui/changed-text.tsx"
import { Fact, Facts, OtherFacts } from "../ui/facts.tsx"

const KNOWN = [
  "id",
  "work_id",
  "kind",
  "source_id",
  "title",
  "what_happened",
  "why_needed",
  "recommended_action",
  "consequences",
  "status",
  "version",
  "created_at",
  "resolved_at",
  "resolved_by",
  "resolution",
]

type Props = LetterProps<Attention> & {
  /** Shown beside the recommended action. */
  recommended?: ReactNode
}

/** The four facts of a clarification. */
export function ClarificationFacts({ item: attention, before, recommended }: Props) {
  return (
    <Facts>
      {before !== undefined && before.title !== attention.title && (
        <Fact name="Title">
          <ChangedText was={before.title}>{attention.title}</ChangedText>
        </Fact>
      )}
      <Fact name="What happened">
        <ChangedText multiline was={before?.what_happened}>
          {attention.what_happened}
        </ChangedText>
      </Fact>
      <Fact name="Why it matters">
        <ChangedText multiline was={before?.why_needed}>
          {attention.why_needed}
        </ChangedText>
      </Fact>
      <Fact name="Recommended">
        <ChangedText multiline was={before?.recommended_action}>
          {attention.recommended_action}
        </ChangedText>
        {recommended}
      </Fact>
      <Fact name="If you don't answer">
        <ChangedText multiline was={before?.consequences}>
          {attention.consequences}
        </ChangedText>
      </Fact>
      {before !== undefined && before.source_id !== attention.source_id && (
        <Fact name="Source">
          <ChangedText was={before.source_id}>{attention.source_id}</ChangedText>
        </Fact>
      )}
      <OtherFacts of={attention} known={KNOWN} />
    </Facts>
  )
}
