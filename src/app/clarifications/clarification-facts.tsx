import type { ReactNode } from "react"
import type { Clarification } from "../client/waiting.ts"
import { CLARIFICATION_MEMBERS } from "../inbox/item-entries.ts"
import type { LetterProps } from "../inbox/item-variant.ts"
import { ChangedFact, ChangedText } from "../ui/changed-text.tsx"
import { Fact, Facts, OtherFacts } from "../ui/facts.tsx"

type Props = LetterProps<Clarification> & {
  /** Shown beside the recommended action. */
  recommended?: ReactNode
}

/** The four facts of a clarification. */
export function ClarificationFacts({ item, before, recommended }: Props) {
  return (
    <Facts>
      {before !== undefined && before.title !== item.title && (
        <ChangedFact name="Title" was={before.title}>
          {item.title}
        </ChangedFact>
      )}
      <ChangedFact name="What happened" was={before?.what_happened} multiline>
        {item.what_happened}
      </ChangedFact>
      <ChangedFact name="Why it matters" was={before?.why_needed} multiline>
        {item.why_needed}
      </ChangedFact>
      <Fact name="Recommended">
        <ChangedText was={before?.recommended_action} multiline>
          {item.recommended_action}
        </ChangedText>
        {recommended}
      </Fact>
      <ChangedFact name="If you don't answer" was={before?.consequences} multiline>
        {item.consequences}
      </ChangedFact>
      {before !== undefined && before.source_id !== item.source_id && (
        <ChangedFact name="Source" was={before.source_id}>
          {item.source_id}
        </ChangedFact>
      )}
      <OtherFacts of={item} known={CLARIFICATION_MEMBERS} />
    </Facts>
  )
}
