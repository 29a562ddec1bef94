/** What the team and the rules say about a pending approval: lines above the letter, and the callout of a person who has approved. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import type { DecisionFact } from "./before-you-decide.tsx"
import { useSession } from "../client/session.ts"
import { assigneesOptions, changeEntry, withdrawApprove } from "../client/team-changes.ts"
import type { TeamFacts } from "../client/waiting.ts"
import { itemKey } from "../inbox/addresses.ts"
import { ApprovalsSoFar, Assigned, DecideBy } from "../inbox/claim-facts.tsx"
import { formatMissing } from "../inbox/claim-words.ts"
import type { ItemId } from "../inbox/item.ts"
import { Button } from "../ui/button.tsx"
import { Callout, CalloutLine } from "../ui/callout.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { useAct } from "../ui/use-act.ts"

const NUMBERS = ["", "", "Two", "Three", "Four", "Five"]

/** The deadline, how many have approved, and who has the item. Each is left out if the item has none. */
export function teamFacts({ decide_by: by, approvals, assignment }: TeamFacts): readonly DecisionFact[] {
  const facts: DecisionFact[] = []
  if (by !== undefined) facts.push({ key: "due", icon: "clock", text: <DecideBy by={by} /> })
  if (approvals !== undefined) {
    const text = (
      <>
        {NUMBERS[approvals.needed] ?? approvals.needed} people must approve. <ApprovalsSoFar approvals={approvals} />
      </>
    )
    facts.push({ key: "approvals", icon: "approvals", text })
  }
  if (assignment !== undefined) facts.push({ key: "note", icon: "hand", text: <Assigned assignment={assignment} /> })
  return facts
}

/** Who has approved another version than the one on the screen. */
export function earlierFacts(approvals: TeamFacts["approvals"], version: bigint): readonly DecisionFact[] {
  // Until a newer version is shown, the desk counts an approval of the version on the screen as earlier.
  const earlier = approvals?.earlier.filter((given) => given.version !== String(version)) ?? []
  return earlier.map(({ person, version: approved }) => {
    const text = (
      <>
        <OutsideText>{`${person.name} approved version ${approved}.`}</OutsideText> This is version {String(version)}.
        That approval no longer counts.
      </>
    )
    return { key: `${person.id} ${approved}`, icon: "approvals", text }
  })
}

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
