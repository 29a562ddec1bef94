import { OutsideText } from "../ui/outside-text.tsx"
import { MixedScripts } from "../ui/mixed-scripts.tsx"
import { Skeleton } from "../ui/skeleton.tsx"

/** The heading of the page. The element stays the same while the Work loads, because it has the focus after a navigation. */
export function WorkTitle({
  title,
  missing,
  failed,
}: {
  title: string | undefined
  missing: boolean
  failed: boolean
}) {
  return (
    <>
      <h1 tabIndex={-1}>
        {title !== undefined ? (
          <OutsideText empty="Untitled">{title}</OutsideText>
        ) : missing ? (
          "This Work is not visible to this account"
        ) : failed ? (
          "This Work could not be read"
        ) : (
          <>
            <span className="visually-hidden">Loading the Work</span>
            <Skeleton width="min(520px, 90%)" />
          </>
        )}
      </h1>
      {title !== undefined && <MixedScripts text={title} />}
    </>
  )
}
