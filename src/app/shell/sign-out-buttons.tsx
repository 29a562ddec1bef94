import { useState } from "react"
import { DeskError } from "../client/desk-error.ts"
import { signOut, switchPerson } from "../client/sign-in-out.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import styles from "./entry-pages.module.css"

/** The two ways to sign out. */
export function SignOutButtons() {
  const [error, setError] = useState<DeskError>()
  const [sending, setSending] = useState(false)
  const run = async (leave: () => Promise<void>) => {
    setSending(true)
    setError(undefined)
    try {
      await leave()
    } catch (thrown) {
      if (!(thrown instanceof DeskError)) throw thrown
      setError(thrown)
      setSending(false)
    }
  }
  return (
    <>
      <div className={styles["actions"]}>
        <Button disabled={sending} onClick={() => void run(switchPerson)}>
          Switch person
        </Button>
        <Button disabled={sending} onClick={() => void run(signOut)}>
          Sign out
        </Button>
      </div>
      {error && <ErrorAlert error={error} kept="You are still signed in." compact />}
    </>
  )
}
