import { useTeamHints } from "../inbox/inbox-bar.tsx"
import { Inbox } from "../inbox/inbox.tsx"
import { KeyHints } from "../ui/kbd.tsx"
import { modKey } from "../ui/shortcuts.ts"
import { answerVariant } from "./answer-variant.ts"

/** Everything that waits for an answer, across all Work. */
export default function NeedsYouPage() {
  return (
    <Inbox
      variant={answerVariant}
      bar={<KeyHints hints={[[["J", "K"], "next, previous"], [[modKey, "Enter"], "send"], ...useTeamHints()]} />}
    />
  )
}
