import { useLocation } from "react-router"
import { OutsideText } from "../ui/outside-text.tsx"
import { DeadEnd } from "../ui/page-parts.tsx"

/** An address that the app does not have. */
export function NotFound() {
  return (
    <DeadEnd page="Not found" title="There is no page at this address">
      Check the address:{" "}
      <span className="mono">
        <OutsideText>{useLocation().pathname}</OutsideText>
      </span>
    </DeadEnd>
  )
}
