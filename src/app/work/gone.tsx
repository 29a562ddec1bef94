import { itemDrafts } from "../inbox/item-entries.ts"
import { KeptText } from "../inbox/kept-text.tsx"
import { DeadEnd } from "../ui/page-parts.tsx"
import styles from "./work-page.module.css"

/** Shown in place of a Work that was open, and that the person does not see any more. What they typed about its items stays readable. */
export function Gone({ workId }: { workId: string }) {
  const drafts = itemDrafts.ids().filter(([, ofWork]) => ofWork === workId)
  return (
    <>
      <DeadEnd page="You cannot see this Work any more" title="This Work is not visible to you now">
        It was taken away, or who may see it has changed. What you typed is kept in this browser. This page does not ask
        for the Work again. Reload the page if you think that you may see it.
      </DeadEnd>
      <div className={styles["reading"]}>
        {drafts.map((id) => (
          <KeptText
            key={id.join(" ")}
            what={id[0] === "answer" ? "answer" : "comment"}
            text={itemDrafts(...id).read() ?? ""}
          />
        ))}
      </div>
    </>
  )
}
