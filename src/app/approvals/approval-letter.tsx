import { type RefCallback, useCallback, useState } from "react"
import type { Approval } from "../../contract/resources.ts"
import { APPROVAL_MEMBERS } from "../inbox/item.ts"
import type { LetterProps } from "../inbox/use-decision.ts"
import { ChangedFact, ChangedText, Fact, Facts, OtherFacts } from "../ui/facts.tsx"
import { CopyButton } from "../ui/copy-button.tsx"
import styles from "./approvals.module.css"

type Props = LetterProps<Approval> & {
  /** Given the element around the text, which ends with an empty element: `useReadToEnd`. */
  text?: RefCallback<HTMLElement>
}

/** An approval as the letter that would be sent, in full and without links, then who asks and why. */
export function ApprovalLetter({ item: approval, before, text }: Props) {
  const { destination, subject, body, proposed_action_payload_hash: hash } = approval
  return (
    <>
      <div className={styles["letter"]}>
        {before !== undefined && before.summary !== approval.summary && (
          <div className={styles["line"]}>
            <span className="soft small">Summary</span>
            <ChangedText was={before.summary}>{approval.summary}</ChangedText>
          </div>
        )}
        <div className={styles["line"]}>
          <span className="soft small">To</span>
          <span className="mono">
            <ChangedText was={before?.destination}>{destination}</ChangedText>
          </span>
        </div>
        <div className={styles["line"]}>
          <span className="soft small">Subject</span>
          <strong>
            <ChangedText was={before?.subject}>{subject}</ChangedText>
          </strong>
        </div>
        <div ref={text} className={styles["text"]}>
          <ChangedText multiline was={before?.body}>
            {body}
          </ChangedText>
          <div className={styles["end"]} />
        </div>
      </div>
      <Facts>
        <ChangedFact name="Asked by" was={before?.requested_by_colleague}>
          {approval.requested_by_colleague}
        </ChangedFact>
        <ChangedFact name="Risk" was={before?.risk}>
          {approval.risk}
        </ChangedFact>
        <ChangedFact name="Policy" was={before?.policy_reason} multiline>
          {approval.policy_reason}
        </ChangedFact>
        <Fact name="Payload">
          <span className="mono">
            <ChangedText was={before?.proposed_action_payload_hash}>{hash}</ChangedText>
          </span>
          <CopyButton text={hash} what="payload hash" />
        </Fact>
        {before !== undefined && before.action_id !== approval.action_id && (
          <ChangedFact name="Action" was={before.action_id}>
            {approval.action_id}
          </ChangedFact>
        )}
        <OtherFacts of={approval} known={APPROVAL_MEMBERS} />
      </Facts>
    </>
  )
}

/** More pixels than any letter is long, so that an end anywhere above the window counts as in the window. */
const ABOVE_PX = 10_000_000

/**
 * How many pixels at the lower edge of the window may be covered: by the two buttons, and on a phone by the menu below them. In a low
 * window (a phone on its side, 400 % zoom) at most half counts as covered, because otherwise a letter could never be read to its end.
 */
const covered = () => Math.min(150, innerHeight / 2)

/**
 * `isReadToEnd` is true once the person could read `version` of a letter to its end: at once where its text fits into the window, else when
 * the end was on the screen and not covered, or was scrolled past. The letter takes the other members.
 *
 * @param version undefined while reading does not count
 */
export function useReadToEnd(version: string | undefined) {
  const [readFor, setReadFor] = useState<string>()
  const text = useCallback(
    (element: HTMLElement | null) => {
      if (element === null || version === undefined) return undefined
      const inWindow = new IntersectionObserver(
        (entries) => {
          if (entries.some(({ isIntersecting }) => isIntersecting)) setReadFor(version)
        },
        // In a low window one key press may scroll past the end, so an end above the window counts as read.
        { rootMargin: `${String(ABOVE_PX)}px 0px -${String(Math.round(covered()))}px` },
      )
      const height = new ResizeObserver(([entry]) => {
        const tall = entry?.contentRect.height ?? 0
        if (tall > 0 && tall <= innerHeight - covered()) setReadFor(version)
      })
      if (element.lastElementChild) inWindow.observe(element.lastElementChild)
      height.observe(element)
      return () => {
        inWindow.disconnect()
        height.disconnect()
      }
    },
    // Another version makes another function, so that React observes the letter anew.
    [version],
  )
  return { isReadToEnd: version !== undefined && readFor === version, text }
}
