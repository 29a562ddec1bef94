import { clarificationVariant } from "./clarification.tsx"
import { Inbox, useClaimHints } from "../inbox/inbox.tsx"
import { KeyHints } from "../ui/kbd.tsx"
import { modKey } from "../ui/shortcuts.ts"

/** Everything that waits for an answer, across all Work. */
export default function NeedsYouPage() {
  return (
    <Inbox
      variant={clarificationVariant}
      bar={<KeyHints hints={[[["J", "K"], "next, previous"], [[modKey, "Enter"], "send"], ...useClaimHints()]} />}
    />
  )
}
