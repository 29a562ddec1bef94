import { useQuery } from "@tanstack/react-query"
import { workOptions } from "../client/reads.ts"
import { Link } from "../ui/link.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { workAddress } from "./addresses.ts"
import styles from "./work-crumb.module.css"

/** A link to the Work of an item. It shows the title as soon as the title is known. */
export function WorkCrumb({ workId }: { workId: string }) {
  const work = useQuery(workOptions(workId)).data
  return (
    <p className={styles["crumb"]}>
      <Link to={workAddress(workId)}>
        <OutsideText>{work?.title ?? workId}</OutsideText>
      </Link>
    </p>
  )
}
