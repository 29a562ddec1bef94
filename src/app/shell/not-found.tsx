import { useLocation } from "react-router"
import { OutsideText } from "../ui/outside-text.tsx"
import { DeadEnd } from "../ui/page-parts.tsx"

/** An address that the app does not have. */
export function NotFound() {
  return (
    <DeadEnd page="Not found" title="There is no page at this address">
      Workdesk has nothing at{" "}
      <span className="mono">
        <OutsideText>{useLocation().pathname}</OutsideText>
      </span>
      . Check the address, or start from the list.
    </DeadEnd>
  )
}
