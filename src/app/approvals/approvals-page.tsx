import { Navigate } from "react-router"
import { useSearchParams } from "../ui/router.tsx"
import { useTeamHints } from "../inbox/inbox-bar.tsx"
import { Inbox } from "../inbox/inbox.tsx"
import { KeyHints } from "../ui/kbd.tsx"
import { approvalVariant } from "./approval-variant.ts"
import { DestinationMark } from "./destination-mark.tsx"

/** Everything that waits for a decision, across all Work. */
export default function ApprovalsPage() {
  const [parameters] = useSearchParams()
  const teamHints = useTeamHints()
  // An older desk kept a list of decisions in the browser at this address.
  if (parameters.has("decided")) return <Navigate to="/record" replace />
  return (
    <Inbox
      variant={approvalVariant}
      Mark={DestinationMark}
      bar={<KeyHints hints={[[["J", "K"], "next, previous"], [["A"], "approve"], [["D"], "decline"], ...teamHints]} />}
    />
  )
}
