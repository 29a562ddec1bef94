import { PageBar } from "../ui/page-parts.tsx"
import { CreatedCallout } from "./created-callout.tsx"
import styles from "./new-work.module.css"
import { StartFrom } from "./start-from.tsx"
import { WorkForm } from "./work-form.tsx"

/** `/work/new`: delegates Work. `?from=` fills the form from an existing Work, `?sample` from the sample. */
export default function NewWorkPage() {
  return (
    <>
      <PageBar title="New Work" />
      <div className={styles["page"]}>
        <CreatedCallout />
        <StartFrom />
        <WorkForm />
      </div>
    </>
  )
}
