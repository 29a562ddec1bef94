import type { ReactNode } from "react"
import type { Clarification } from "../client/waiting.ts"
import { CLARIFICATION_MEMBERS } from "../inbox/item-entries.ts"
import type { LetterProps } from "../inbox/item-variant.ts"
import { ChangedText } from "../ui/changed-text.tsx"
import { Fact, Facts, OtherFacts } from "../ui/facts.tsx"

type Props = LetterProps<Clarification> & {
  /** Shown beside the recommended action. */
  recommended?: ReactNode
}

/** The four facts of a clarification. */
export function ClarificationFacts({ item: clarification, before, recommended }: Props) {
  return (
    <Facts>
      {before !== undefined && before.title !== clarification.title && (
        <Fact name="Title">
          <ChangedText was={before.title}>{clarification.title}</ChangedText>
        </Fact>
      )}
      <Fact name="What happened">
        <ChangedText multiline was={before?.what_happened}>
          {clarification.what_happened}
        </ChangedText>
      </Fact>
      <Fact name="Why it matters">
        <ChangedText multiline was={before?.why_needed}>
          {clarification.why_needed}
        </ChangedText>
      </Fact>
      <Fact name="Recommended">
        <ChangedText multiline was={before?.recommended_action}>
          {clarification.recommended_action}
        </ChangedText>
        {recommended}
      </Fact>
      <Fact name="If you don't answer">
        <ChangedText multiline was={before?.consequences}>
          {clarification.consequences}
        </ChangedText>
      </Fact>
      {before !== undefined && before.source_id !== clarification.source_id && (
        <Fact name="Source">
          <ChangedText was={before.source_id}>{clarification.source_id}</ChangedText>
        </Fact>
      )}
      <OtherFacts of={clarification} known={CLARIFICATION_MEMBERS} />
    </Facts>
  )
}
