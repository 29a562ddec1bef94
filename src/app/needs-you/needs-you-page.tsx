import { Navigate, useLocation, useSearchParams } from "react-router"
import { DestinationMark } from "./destination-mark.tsx"
import { approvalVariant } from "../approvals/approval.ts"
import { clarificationVariant } from "../clarifications/clarification.tsx"
import { Inbox } from "../inbox/inbox.tsx"

const variants = { clarification: clarificationVariant, approval: approvalVariant }

/** All questions and approvals that are pending, across all Work. At `/approvals`, only the approvals. */
export default function NeedsYouPage() {
  const [parameters] = useSearchParams()
  const isApprovals = useLocation().pathname.startsWith("/approvals")
  // An older desk kept a list of decisions in the browser at this address.
  if (isApprovals && parameters.has("decided")) return <Navigate to="/record" replace />
  return <Inbox page={isApprovals ? "/approvals" : "/needs-you"} variants={variants} Mark={DestinationMark} />
}
