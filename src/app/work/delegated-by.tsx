import { useQuery } from "@tanstack/react-query"
import { useSession } from "../client/session.ts"
import { lookUp } from "../ui/look-up.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { delegatedOptions } from "./work-queries.ts"

/** Who delegated a Work at this desk. Nothing in local mode, or if the desk doesn't know. */
export function DelegatedBy({ workId }: { workId: string }) {
  const isSignedIn = useSession()?.mode === "sign-in"
  const { data } = useQuery({ ...delegatedOptions(workId), enabled: isSignedIn })
  const person = data && lookUp(data.delegated, workId)
  return (
    person !== undefined && (
      <span>
        Delegated by <OutsideText>{person.name}</OutsideText>
      </span>
    )
  )
}
