import { whomToAsk } from "../client/missing-role.ts"
import type { Presence } from "../client/session.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { PageWithoutMenu } from "./page-without-menu.tsx"
import { Lock } from "./lock.tsx"
import { SignOutButtons } from "./sign-out-buttons.tsx"
import { useTouch } from "./use-touch.ts"

/** Shown to a person who is signed in and has no role. The page goes on by itself when the person gets a role. */
export function NoRole({ session, locked }: Presence) {
  useTouch()
  const { name, email } = session.person
  return (
    <PageWithoutMenu title="You have no role here">
      <p>
        You are signed in as{" "}
        <strong>
          <OutsideText>{name}</OutsideText>
        </strong>
        {email !== undefined && (
          <>
            {" "}
            (<OutsideText>{email}</OutsideText>)
          </>
        )}
        . To see the Work of this desk you need a role. <OutsideText>{whomToAsk(session)}</OutsideText>
      </p>
      <SignOutButtons />
      {locked && <Lock />}
    </PageWithoutMenu>
  )
}
