import { useLocation } from "react-router"
import { ButtonLink } from "../ui/button.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { EmptyState, PageBar } from "../ui/page-parts.tsx"

/** An address that the app does not have. */
export function NotFound() {
  const { pathname } = useLocation()
  return (
    <>
      <PageBar title="Not found" />
      <EmptyState
        title="There is no page at this address"
        action={
          <ButtonLink to="/work" kind="primary">
            Go to Work
          </ButtonLink>
        }
      >
        Workdesk has nothing at{" "}
        <span className="mono">
          <OutsideText>{pathname}</OutsideText>
        </span>
        . Check the address, or start from the list.
      </EmptyState>
    </>
  )
}
