import type { Approval } from "../../contract/resources.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { Status } from "../ui/status.tsx"

type Props = { item: Pick<Approval, "status">; replayed: boolean }

/** How an approval ended, as an icon with a word. An unknown status is shown as it was sent. */
export function ApprovalOutcome({ item: { status }, replayed }: Props) {
  const more = replayed ? ", already recorded" : ""
  if (status === "approved")
    return (
      <Status tone="good" icon="done">
        Approved{more}
      </Status>
    )
  if (status === "declined")
    return (
      <Status tone="bad" icon="close">
        Declined{more}
      </Status>
    )
  return (
    <Status icon="unknown">
      <OutsideText>{status}</OutsideText>
      {more}
    </Status>
  )
}
