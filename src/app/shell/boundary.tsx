import { Component, type ReactNode, useEffect } from "react"
import { DeskError } from "../client/desk-error.ts"
import { Button, ButtonLink } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Notice, NoticeLine } from "../ui/notice.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { PageBar } from "../ui/page-parts.tsx"
import styles from "./boundary.module.css"

type Props = {
  /** The error is forgotten when another page is opened. */
  page: string
  /** The name of the part that is missing when the children fail, where they are not the whole page. */
  part?: string
  children: ReactNode
}
type State = { error: unknown; failed: boolean; page: string }

/** Keeps the menu working when a page fails: by an error of ours, or because its code could not be loaded. */
export class Boundary extends Component<Props, State> {
  override state: State = { error: undefined, failed: false, page: this.props.page }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error, failed: true }
  }

  static getDerivedStateFromProps({ page }: Props, state: State): Partial<State> | null {
    return page === state.page ? null : { error: undefined, failed: false, page }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    const { part } = this.props
    return part === undefined ? <Failed error={this.state.error} /> : <FailedPart name={part} />
  }
}

function FailedPart({ name }: { name: string }) {
  return (
    <div className={styles["part"]}>
      <Notice announce="alert" tone="bad" icon="warning" compact>
        “{name}” could not be loaded. What you typed is kept.
        <NoticeLine>
          <Button size="small" onClick={() => location.reload()}>
            Reload the page
          </Button>
        </NoticeLine>
      </Notice>
    </div>
  )
}

function Failed({ error }: { error: unknown }) {
  useEffect(() => {
    // The browser remembers a failed import, so only a reload requests the code again. A person would do that when back online.
    const reload = () => location.reload()
    addEventListener("online", reload)
    return () => removeEventListener("online", reload)
  }, [])
  const action = (
    <>
      <Button onClick={() => location.reload()}>Reload the page</Button>
      <ButtonLink to="/work" kind="plain">
        Go to Work
      </ButtonLink>
    </>
  )
  return (
    <>
      <PageBar title="Something went wrong" />
      <div className={styles["out"]}>
        {error instanceof DeskError ? (
          <ErrorAlert error={error} kept="What you typed is kept." action={action} />
        ) : (
          <Notice announce="alert" tone="bad" icon="warning">
            <strong>This page cannot be shown.</strong>
            <div className="small soft">
              What you typed is kept. Reload the page. If that fails, tell whoever runs this Workdesk:
            </div>
            <div className="small mono">
              <OutsideText>{error instanceof Error ? error.message : String(error)}</OutsideText>
            </div>
            <NoticeLine>{action}</NoticeLine>
          </Notice>
        )}
      </div>
    </>
  )
}
