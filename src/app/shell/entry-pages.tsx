/** The pages without the menu, for somebody who may not use the app yet. */
import { type ReactNode, useLayoutEffect } from "react"
import { useLocation } from "react-router"
import type { SignedIn } from "../../contract/desk-people.ts"
import { pages } from "../pages.ts"
import { signInAddress, whomToAsk } from "../client/person.ts"
import { Button } from "../ui/button.tsx"
import { Icon } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { focusTitle, PageTitle } from "../ui/page-parts.tsx"
import styles from "./entry-pages.module.css"
import { SignOutButtons } from "./person-area.tsx"

/** Shown at every address while nobody is signed in. */
export function SignIn() {
  const { pathname } = useLocation()
  const isStart = pathname === "/" || pathname === "/work"
  const name = pages.find(({ path }) => path === pathname)?.name
  return (
    <PageWithoutMenu title="Sign in">
      <p>Workdesk shows the Work delegated to automated colleagues, and asks you before they send anything.</p>
      <Button kind="primary" onClick={() => location.assign(signInAddress())}>
        Sign in
      </Button>
      <p className="soft small">
        {!isStart && `You'll continue to ${name ?? "the page you asked for"}. `}
        What you typed in this browser is kept.
      </p>
    </PageWithoutMenu>
  )
}

/** Shown to a person who is signed in and has no role. The page goes on by itself when the person gets a role. */
export function NoRole({ session }: { session: SignedIn }) {
  const { name, email } = session.person
  useLayoutEffect(() => {
    // The focus of a person who has just lost their last role has gone with the app.
    if (document.activeElement === document.body) focusTitle()
    const page = document.querySelector("main")
    // With the role, the app takes the place of this page, and the focus goes along.
    return () => {
      if (page?.contains(document.activeElement)) queueMicrotask(() => document.querySelector("main")?.focus())
    }
  }, [])
  return (
    <PageWithoutMenu title="You have no role here">
      <p>
        You're signed in as{" "}
        <strong>
          <OutsideText>{name}</OutsideText>
        </strong>
        {email !== undefined && (
          <>
            {" "}
            (<OutsideText>{email}</OutsideText>)
          </>
        )}
        . You need a role to see Work at this desk. <OutsideText>{whomToAsk(session)}</OutsideText>
      </p>
      {session.role_request !== undefined && (
        <>
          <p>Include this in your request:</p>
          <p>
            <code className={styles["request"]}>
              <OutsideText>{session.role_request}</OutsideText>
            </code>
          </p>
        </>
      )}
      <SignOutButtons />
    </PageWithoutMenu>
  )
}

function PageWithoutMenu({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className={styles["page"]}>
      <PageTitle title={title} />
      <div className={styles["mark"]}>
        <Icon name="mark" size={22} />
        Workdesk
      </div>
      <h1 tabIndex={-1}>{title}</h1>
      {children}
    </main>
  )
}
