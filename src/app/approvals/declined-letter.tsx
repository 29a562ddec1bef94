/** A pending letter beside the letter that was declined before: the dialog behind `Compare with the declined letter`. */
import { useQuery } from "@tanstack/react-query"
import { type ChangeObject, diffWordsWithSpace } from "diff"
import { memo } from "react"
import type { Approval } from "../../contract/resources.ts"
import { unreadOf } from "../client/check-resource.ts"
import { approvalsOptions } from "../client/work-reads.ts"
import { retryInterval } from "../client/polling.ts"
import type { ItemId } from "../inbox/item.ts"
import { Button } from "../ui/button.tsx"
import { classes } from "../ui/classes.ts"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { Read } from "../ui/error-alert.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { Skeleton } from "../ui/page-parts.tsx"
import styles from "./declined-letter.module.css"

/** The comparison stops after this many edits, because texts with nothing in common take quadratic time. */
const EDITS_MAX = 500
/** It also stops after this time (ms): two long hostile texts take seconds even with few edits. */
const COMPARE_MS = 300

type Props = {
  item: Approval
  declined: ItemId
  onClose: () => void
}

/** Shows both letters, part by part. Words that only one of them has are marked. */
export function DeclinedLetter({ item, declined: [workId, declinedId], onClose }: Props) {
  const query = useQuery({ ...approvalsOptions(workId), refetchInterval: retryInterval })
  return (
    <Dialog title="Compare with the declined letter" wide focusTitle onCancel={onClose}>
      <Read query={query} loading={<Skeleton width="60%" />}>
        {(approvals) => {
          const declined = approvals.find(({ id }) => id === declinedId)
          // A stand-in for a malformed letter has empty texts.
          return declined === undefined || unreadOf(declined) !== undefined ? (
            <p>The declined letter is no longer available.</p>
          ) : (
            <Comparison declined={declined} item={item} />
          )
        }}
      </Read>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  )
}

function Comparison({ declined, item }: { declined: Approval; item: Approval }) {
  const comment = declined.resolution_comment ?? ""
  return (
    <>
      {comment !== "" && (
        <blockquote className={styles["comment"]}>
          <OutsideText multiline>{comment}</OutsideText>
        </blockquote>
      )}
      <div className={styles["letters"]}>
        <h3>Declined</h3>
        <h3>This letter</h3>
        <ComparedPart name="To" before={declined.destination} now={item.destination} />
        <ComparedPart name="Subject" before={declined.subject} now={item.subject} />
        <ComparedPart name="Text" before={declined.body} now={item.body} />
      </div>
    </>
  )
}

type PartProps = { name: string; before: string; now: string }

/** A part of both letters, side by side, or once if it is the same. Without marks if most words differ. Compared anew only when a text changes. */
const ComparedPart = memo(function ComparedPart({ name, before, now }: PartProps) {
  if (before === now)
    return (
      <section aria-label={`${name}, same in both letters`} className={classes(styles["part"], styles["same"])}>
        <span aria-hidden="true" className="soft small">
          {name}, same in both letters
        </span>
        <div className={styles["text"]}>
          <OutsideText multiline>{now}</OutsideText>
        </div>
      </section>
    )
  const changes = diffWordsWithSpace(before, now, { maxEditLength: EDITS_MAX, timeout: COMPARE_MS })
  const side = (of: string, whole: string, isOnOtherSide: (change: ChangeObject<string>) => boolean) => (
    <section aria-label={`${name}, ${of}`} className={styles["part"]}>
      <span aria-hidden="true" className="soft small">
        {name}
        <span className={styles["of"]}>, {of}</span>
      </span>
      <div className={styles["text"]}>
        {changes === undefined ? (
          <OutsideText multiline>{whole}</OutsideText>
        ) : (
          changes.filter((change) => !isOnOtherSide(change)).map((change, index) => <Words key={index} {...change} />)
        )}
      </div>
    </section>
  )
  return (
    <>
      {side("declined", before, ({ added }) => added)}
      {side("this letter", now, ({ removed }) => removed)}
    </>
  )
})

function Words({ value, added, removed }: ChangeObject<string>) {
  const text = <OutsideText multiline>{value}</OutsideText>
  if (added) return <ins className={styles["added"]}>{text}</ins>
  return removed ? <del className={styles["removed"]}>{text}</del> : text
}
