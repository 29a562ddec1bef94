import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useSession } from "../client/session.ts"
import { assigneesOptions, changeEntry, withdrawApprove } from "../client/team-changes.ts"
import type { TeamFacts } from "../client/waiting.ts"
import { itemKey } from "../inbox/addresses.ts"
import { formatMissing } from "../inbox/claim-words.ts"
import type { ItemId } from "../inbox/item.ts"
import { Button } from "../ui/button.tsx"
import { Callout, CalloutLine } from "../ui/callout.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { useAct } from "../ui/use-act.ts"

type Props = { id: ItemId; approvals: NonNullable<TeamFacts["approvals"]> }

/** The desk keeps the person's approve: who else can approve, and a button that withdraws it. */
export function ApprovedByYou({ id, approvals }: Props) {
  const [work, item] = id
  const client = useQueryClient()
  const session = useSession()
  const { data } = useQuery(assigneesOptions(work, item))
  const alreadyApproved = new Set([session?.person.id, ...approvals.given.map(({ person }) => person.id)])
  const others = (data?.people ?? []).flatMap(({ id: person, name }) => (alreadyApproved.has(person) ? [] : [name]))
  const contact = session?.contact ?? undefined
  const whom = contact === undefined ? others : [...others, contact]
  // Not created at load time, because the first format of a page makes a browser load its language data, which takes 25 ms.
  const orList = new Intl.ListFormat("en", { type: "disjunction" })
  const withdraw = useAct(itemKey(id), () => withdrawApprove(work, item), {
    onDone: () => {
      const given = approvals.given.filter(({ person }) => person.id !== session?.person.id)
      changeEntry(client, work, item, { approvals: { ...approvals, given }, needs_you: true })
    },
  })
  return (
    <Callout announce="status" icon="done" compact>
      Approved by you. {formatMissing(approvals)}.{" "}
      <OutsideText>{whom.length === 0 ? "" : `Ask ${orList.format(whom)}.`}</OutsideText>
      <CalloutLine>
        <Button size="small" inactive={!withdraw.isArmed} onClick={() => withdraw.act()}>
          Withdraw my approval
        </Button>
      </CalloutLine>
      <ErrorAlert error={withdraw.error} compact />
    </Callout>
  )
}
