import type { WaitingItem } from "../../contract/desk.ts"
import type { Attention } from "../../contract/resources.ts"
import { ItemInbox } from "../inbox/item-inbox.tsx"
import { KeyHints } from "../ui/kbd.tsx"
import { modKey } from "../ui/shortcuts.ts"
import { answerNoun } from "./answer-noun.ts"

const colleagueOf = ({ work }: WaitingItem<Attention>) => work.colleague_id

/** Everything that waits for an answer, across all Work. */
export default function NeedsYouPage() {
  return (
    <ItemInbox
      noun={answerNoun}
      colleagueOf={colleagueOf}
      bar={
        <KeyHints
          hints={[
            [["J", "K"], "next, previous"],
            [[modKey, "Enter"], "send"],
          ]}
        />
      }
    />
  )
}
