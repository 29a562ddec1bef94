import { Navigate, useSearchParams } from "react-router"
import type { WaitingItem } from "../../contract/desk.ts"
import type { Approval } from "../../contract/resources.ts"
import { ItemInbox } from "../inbox/item-inbox.tsx"
import { KeyHints } from "../ui/kbd.tsx"
import { approvalNoun } from "./approval-noun.ts"

const colleagueOf = ({ item }: WaitingItem<Approval>) => item.requested_by_colleague

/** Everything that waits for a decision, across all Work. */
export default function ApprovalsPage() {
  const [parameters] = useSearchParams()
  // An older desk kept a list of decisions in the browser at this address.
  if (parameters.has("decided")) return <Navigate to="/record" replace />
  return (
    <ItemInbox
      noun={approvalNoun}
      colleagueOf={colleagueOf}
      bar={
        <KeyHints
          hints={[
            [["J", "K"], "next, previous"],
            [["A"], "approve"],
            [["D"], "decline"],
          ]}
        />
      }
    />
  )
}
