import type { ListOrder } from "../../contract/work-order.ts"
import { ButtonLink } from "../ui/button.tsx"
import { EmptyState } from "../ui/page-parts.tsx"
import { addressOfList, isNarrowed } from "./list-address.ts"

const words: Readonly<Record<NonNullable<ListOrder["status"]> | "any", readonly [title: string, words: string]>> = {
  any: ["No Work yet", "What you hand to a colleague appears here, newest first, with what it needs from you."],
  working: ["No Work is in progress", "Work appears here while a colleague is busy with it."],
  needs_you: ["No Work needs you", "Work appears here when a colleague asks you something or wants your approval."],
  paused: ["No Work is paused", "Work appears here when it has stopped for now, without being done."],
  done: ["No Work is done yet", "Work appears here when its colleague has finished it."],
}

type Props = {
  wanted: ListOrder
  /** Whether the colleague is there for whom the form has a sample. */
  offersSample: boolean
}

/** Shown in place of the rows where there are none: what will appear here and when, or how to see more. */
export function EmptyList({ wanted, offersSample }: Props) {
  const { status } = wanted
  if (isNarrowed(wanted)) {
    return (
      <EmptyState
        title="No Work matches"
        action={<ButtonLink to={addressOfList({ status })}>Clear filters</ButtonLink>}
      >
        Change the filters, or clear them.
      </EmptyState>
    )
  }
  const [title, whatAppears] = words[status ?? "any"]
  return (
    <EmptyState
      title={title}
      action={
        <>
          <ButtonLink to="/work/new" kind="primary">
            New Work
          </ButtonLink>
          {status === undefined && offersSample && (
            <ButtonLink to="/work/new?sample">Try it with a sample file</ButtonLink>
          )}
        </>
      }
    >
      {whatAppears}
    </EmptyState>
  )
}
