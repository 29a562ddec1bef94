import type { Approval } from "../../contract/resources.ts"
import { APPROVAL_MEMBERS } from "../client/check-resource.ts"
import { whyUnreadable } from "../inbox/item.ts"
import { UnreadItem } from "../inbox/unread-item.tsx"
import type { LetterProps } from "../inbox/item-variant.ts"
import { ChangedFact, ChangedText, Details, Fact, Facts, OtherFacts } from "../ui/facts.tsx"
import { CopyButton } from "../ui/copy-button.tsx"
import styles from "./approvals.module.css"

/**
 * An approval as the full letter that would be sent, without links, then who asks and why, then the details. What must be read before an approve
 * has `data-read`. What changed, and what the app doesn't know, never stands in the folded details.
 */
export function ApprovalLetter({ item: approval, before }: LetterProps<Approval>) {
  const { destination, subject, body, proposed_action_payload_hash: hash } = approval
  if (whyUnreadable(approval) !== undefined) return <UnreadItem item={approval} kind="approval" />
  const hasNewPayload = before !== undefined && before.proposed_action_payload_hash !== hash
  const payload = (
    <Fact name="Payload">
      <span className="mono">
        <ChangedText was={before?.proposed_action_payload_hash}>{hash}</ChangedText>
      </span>
      <CopyButton text={hash} what="payload hash" />
    </Fact>
  )
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
          <span data-read="" className="mono">
            <ChangedText was={before?.destination}>{destination}</ChangedText>
          </span>
        </div>
        <div className={styles["line"]}>
          <span className="soft small">Subject</span>
          <strong data-read="">
            <ChangedText was={before?.subject}>{subject}</ChangedText>
          </strong>
        </div>
        <div data-read="" className={styles["text"]}>
          <ChangedText multiline was={before?.body}>
            {body}
          </ChangedText>
        </div>
      </div>
      <Facts>
        <ChangedFact name="Asked by" was={before?.requested_by_colleague}>
          {approval.requested_by_colleague}
        </ChangedFact>
        <ChangedFact name="Risk" mustBeRead was={before?.risk}>
          {approval.risk}
        </ChangedFact>
        <ChangedFact name="Policy" mustBeRead was={before?.policy_reason} multiline>
          {approval.policy_reason}
        </ChangedFact>
        {hasNewPayload && payload}
        {before !== undefined && before.action_id !== approval.action_id && (
          <ChangedFact name="Action" was={before.action_id}>
            {approval.action_id}
          </ChangedFact>
        )}
        <OtherFacts of={approval} known={APPROVAL_MEMBERS} />
      </Facts>
      <Details>
        {!hasNewPayload && payload}
        <Fact name="Version">{String(approval.version)}</Fact>
      </Details>
    </>
  )
}
