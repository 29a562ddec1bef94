import { workAddress } from "../inbox/addresses.ts"
import { Button } from "../ui/button.tsx"
import { Link } from "../ui/link.tsx"
import { Notice, NoticeLine } from "../ui/notice.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { PageBar } from "../ui/page-parts.tsx"
import { type Created, useCreated } from "./created.ts"
import { StartFrom } from "./start-from.tsx"
import { WorkForm } from "./work-form.tsx"
import styles from "./new-work.module.css"

/** `/work/new`: delegates Work. `?from=` fills the form from an existing Work. */
export default function NewWorkPage() {
  return (
    <>
      <PageBar title="New Work" />
      <div className={styles["page"]}>
        <CreatedNotice />
        <StartFrom />
        <WorkForm />
      </div>
    </>
  )
}

function CreatedNotice() {
  const [created, dismiss] = useCreated()
  if (created === undefined) return null
  return (
    <Notice announce="status" tone="good" icon="done">
      <div>
        {createdWords(created)}{" "}
        <Link to={workAddress(created.workId)} className={styles["link"]} onClick={dismiss}>
          <OutsideText>{created.title}</OutsideText>
        </Link>
      </div>
      <NoticeLine>
        <Button size="small" onClick={dismiss}>
          Dismiss
        </Button>
      </NoticeLine>
    </Notice>
  )
}

function createdWords({ draftStays, replayed }: Created): string {
  if (draftStays)
    return "What you changed after sending is kept below as a new draft. This Work was created without it:"
  return replayed ? "This Work was already recorded:" : "While you were away this Work was created:"
}
