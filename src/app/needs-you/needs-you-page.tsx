import { Navigate, useLocation, useSearchParams } from "react-router"
import { DestinationMark } from "./destination-mark.tsx"
import { findAlikeLines } from "../alike/alike-lines.ts"
import { AlikePlaceholder } from "../alike/alike-frame.tsx"
import { approvalVariant } from "../approvals/approval.ts"
import { clarificationVariant } from "../clarifications/clarification.tsx"
import type { AlikeCardProps } from "../inbox/alike.ts"
import { Inbox } from "../inbox/inbox.tsx"
import { part } from "../ui/part.tsx"

const variants = { clarification: clarificationVariant, approval: approvalVariant }
const AlikeCard = part<AlikeCardProps>(
  "Alike letters",
  async () => (await import("../alike/alike-card.tsx")).AlikeCard,
  {
    loading: AlikePlaceholder,
  },
)
const alike = { find: findAlikeLines, Card: AlikeCard }

/** All questions and approvals that are pending, across all Work. At `/approvals`, only the approvals. */
export default function NeedsYouPage() {
  const [parameters] = useSearchParams()
  const isApprovals = useLocation().pathname.startsWith("/approvals")
  // An older desk kept a list of decisions in the browser at this address.
  if (isApprovals && parameters.has("decided")) return <Navigate to="/record" replace />
  return (
    <Inbox page={isApprovals ? "/approvals" : "/needs-you"} variants={variants} Mark={DestinationMark} alike={alike} />
  )
}
