import type { ListOrder } from "../../contract/work-order.ts"
import { ButtonLink } from "../ui/button.tsx"
import { EmptyState } from "../ui/page-parts.tsx"
import { addressOfList, isNarrowed } from "./list-address.ts"

const NO_WORK = {
  title: "No Work yet",
  words: "What you hand to a colleague appears here, newest first, with what it needs from you.",
}

const emptyByStatus: Readonly<Record<NonNullable<ListOrder["status"]>, typeof NO_WORK>> = {
  working: { title: "No Work is in progress", words: "Work appears here while a colleague is busy with it." },
  needs_you: {
    title: "No Work needs you",
    words: "Work appears here when a colleague asks you something or wants your approval.",
  },
  paused: {
    title: "No Work is paused",
    words: "Work appears here when it has stopped for now, without being done.",
  },
  done: { title: "No Work is done yet", words: "Work appears here when its colleague has finished it." },
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
  const { title, words } = status === undefined ? NO_WORK : emptyByStatus[status]
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
      {words}
    </EmptyState>
  )
}
