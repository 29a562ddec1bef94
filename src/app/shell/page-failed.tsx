import { type MouseEvent, useEffect, useState } from "react"
import { DeskError } from "../client/desk-error.ts"
import { useWaiting, waitingError } from "../client/waiting.ts"
import { Button, ButtonLink } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Callout, CalloutLine } from "../ui/callout.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { PageBar } from "../ui/page-parts.tsx"
import styles from "./shell.module.css"

/** What made the page fail may still be in memory, so the list is loaded anew where that is possible. */
function loadWork(event: MouseEvent) {
  if (!navigator.onLine) return
  event.preventDefault()
  location.assign("/work")
}

/** In place of a page that failed: by an error of ours, or, where `error` is undefined, because its code did not arrive. */
export function FailedPage({ error }: { error: unknown }) {
  const isSilent = useWaiting((now) => waitingError(now)?.kind === "unreachable")
  const [wasSilent, setWasSilent] = useState(isSilent)
  if (isSilent && !wasSilent) setWasSilent(true)
  const answersAgain = error === undefined && wasSilent && !isSilent
  useEffect(() => {
    if (answersAgain) location.reload()
    // Only a reload requests the code again. A person would do that when back online.
    const reload = () => location.reload()
    addEventListener("online", reload)
    return () => removeEventListener("online", reload)
  }, [answersAgain])
  const message = error instanceof Error ? error.message : String(error)
  const action = (
    <>
      <Button onClick={() => location.reload()}>Reload</Button>
      <ButtonLink to="/work" kind="plain" onClick={loadWork}>
        Go to Work
      </ButtonLink>
    </>
  )
  return (
    <>
      <PageBar title={error === undefined ? "This page couldn't be loaded" : "Something went wrong"} />
      <div className={styles["failed"]}>
        {error instanceof DeskError ? (
          <ErrorAlert error={error} kept="What you typed is kept." action={action} />
        ) : (
          <Callout announce="alert" tone="bad" icon="warning">
            {error === undefined ? (
              <>
                <strong>
                  {isSilent ? "The page reloads when the desk responds again." : "Reload the page to try again."}
                </strong>
                <div className="small soft">What you typed is kept.</div>
              </>
            ) : (
              <>
                <strong>This page can't be shown.</strong>
                <div className="small soft">
                  What you typed is kept. Reload the page. If that fails, tell the operator of this desk:
                </div>
                <div className="small mono">
                  <OutsideText>{message}</OutsideText>
                </div>
              </>
            )}
            <CalloutLine>{action}</CalloutLine>
          </Callout>
        )}
      </div>
    </>
  )
}
