import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useDeskMutation } from "../client/desk-queries.ts"
import { useSession } from "../client/session.ts"
import { assigneesOptions, withdrawApproval } from "../client/team.ts"
import { changeEntry, isHeldFor, type TeamFacts } from "../client/waiting.ts"
import type { ItemId } from "../inbox/item.ts"
import { sayMissing } from "../inbox/team-words.tsx"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Callout, CalloutLine } from "../ui/callout.tsx"
import { OutsideText } from "../ui/outside-text.tsx"

/**
 * How this person's approve counts.
 *
 * - `sends`: the approve is the last that is needed.
 * - `held`: the desk would keep the approve until others have approved. - `given`: the desk keeps the approve already.
 * - `forbidden`: a role or a rule keeps the person from approving, and a newer sign-in would not help.
 * - `only`: no rule asks for more than one approval.
 */
export type ApproveKind = "only" | "sends" | "held" | "given" | "forbidden"

type Approvals = NonNullable<TeamFacts["approvals"]>

export function useApproveKind(approvals: Approvals | undefined, isForbidden: boolean): ApproveKind {
  const myId = useSession()?.person.id ?? ""
  if (approvals === undefined) return "only"
  if (isHeldFor(approvals, myId)) return "given"
  if (isForbidden) return "forbidden"
  return approvals.given.length + 1 >= approvals.needed ? "sends" : "held"
}

const NUMBERS = ["", "", "Two", "Three", "Four", "Five"]

function sayWhatApproveDoes(kind: ApproveKind, approvals: Approvals): string {
  if (kind === "forbidden") return `${sayMissing(approvals)}.`
  if (kind === "sends") return "You are the last: the decision is sent when you approve."
  return "The desk keeps your approval until enough people have approved."
}

type MoreProps = { kind: ApproveKind; approvals: Approvals; version: bigint }

/** What the rule of several approvals means for this person, in sentences for `Before you decide`. */
export function MoreApprovals({ kind, approvals, version }: MoreProps) {
  const number = NUMBERS[approvals.needed] ?? String(approvals.needed)
  // While a newer version waits to be shown, the desk counts an approval of the version on the screen as earlier.
  const earlier = approvals.earlier.filter((given) => given.version !== String(version))
  return (
    <>
      <li>
        <strong>{number} people must approve.</strong> {sayWhatApproveDoes(kind, approvals)}
      </li>
      {earlier.map(({ person, version: approved }) => (
        <li key={`${person.id} ${approved}`}>
          <OutsideText>{`${person.name} approved version ${approved}.`}</OutsideText> This is version {String(version)}.
          That approval counts no more.
        </li>
      ))}
    </>
  )
}

/** Says that the desk keeps the person's approve, whom to ask for another, and how to take the approve back. */
export function ApprovedByYou({ id, approvals }: { id: ItemId; approvals: Approvals }) {
  const [work, item] = id
  const client = useQueryClient()
  const session = useSession()
  const { data } = useQuery(assigneesOptions(work, item))
  const alreadyApproved = new Set([session?.person.id, ...approvals.given.map(({ person }) => person.id)])
  const others = (data?.people ?? []).flatMap(({ id: person, name }) => (alreadyApproved.has(person) ? [] : [name]))
  const contact = session?.contact ?? undefined
  const whom = contact === undefined ? others : [...others, contact]
  // Not made when the page is loaded, because the first format of a page makes a browser load its data of languages, for 25 ms.
  const orList = new Intl.ListFormat("en", { type: "disjunction" })
  const withdraw = useDeskMutation(() => withdrawApproval(work, item), {
    onDone: () => {
      const given = approvals.given.filter(({ person }) => person.id !== session?.person.id)
      changeEntry(client, work, item, { approvals: { ...approvals, given } })
    },
  })
  return (
    <Callout announce="status" icon="done" compact>
      Approved by you. {sayMissing(approvals)}.{" "}
      <OutsideText>{whom.length === 0 ? "" : `Ask ${orList.format(whom)}.`}</OutsideText>
      <CalloutLine>
        <Button size="small" inactive={withdraw.isPending} onClick={() => withdraw.mutate()}>
          Withdraw my approval
        </Button>
      </CalloutLine>
      <ErrorAlert error={withdraw.error} compact />
    </Callout>
  )
}
