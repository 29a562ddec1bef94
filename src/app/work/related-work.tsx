import { useQuery } from "@tanstack/react-query"
import { Link } from "react-router"
import { relatedOptions, workOptions } from "../client/work-reads.ts"
import { workAddress } from "../inbox/addresses.ts"
import { OutsideText } from "../ui/outside-text.tsx"

/** The page shows at most this many of the Works that replace one, the newest. */
const SHOWN_MAX = 5

/** Links to the Work that this one took the place of, and to those that took its place. The desk leaves out what is concealed. */
export function RelatedWork({ workId }: { workId: string }) {
  const { instead_of: insteadOf, replaced_by: replacedBy = [] } = useQuery(relatedOptions(workId)).data ?? {}
  return (
    <>
      {insteadOf !== undefined && (
        <span>
          Replaces <WorkLink id={insteadOf} />
        </span>
      )}
      {replacedBy.slice(-SHOWN_MAX).map((id) => (
        <span key={id}>
          Replaced by <WorkLink id={id} />
        </span>
      ))}
    </>
  )
}

function WorkLink({ id }: { id: string }) {
  const { data: work } = useQuery({ ...workOptions(id), refetchInterval: false })
  return (
    <Link to={workAddress(id)} className="underlined">
      <OutsideText empty="Untitled">{work?.title ?? id}</OutsideText>
    </Link>
  )
}
