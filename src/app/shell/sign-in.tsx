import { useLocation } from "react-router"
import { signInAddress } from "../client/sign-in-out.ts"
import { Button } from "../ui/button.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { PageWithoutMenu } from "./page-without-menu.tsx"

/** Shown at every address while nobody is signed in. */
export function SignIn() {
  const { pathname, search } = useLocation()
  return (
    <PageWithoutMenu title="Sign in">
      <p>
        Workdesk shows the Work that was delegated to automated colleagues, and asks you before a colleague sends
        something.
      </p>
      <Button kind="primary" onClick={() => location.assign(signInAddress())}>
        Sign in
      </Button>
      <p className="soft small">
        You will go on to{" "}
        <span className="mono">
          <OutsideText>{pathname + search}</OutsideText>
        </span>
        . What you typed in this browser is kept.
      </p>
    </PageWithoutMenu>
  )
}
