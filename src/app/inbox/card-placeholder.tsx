import { Card } from "../ui/card.tsx"
import { Skeleton } from "../ui/skeleton.tsx"

/** The place of a card that is still to come. */
export function CardPlaceholder() {
  return (
    <div aria-busy="true">
      <Card title={<Skeleton width="60%" />}>
        <p>
          <Skeleton width="90%" />
        </p>
        <p>
          <Skeleton width="70%" />
        </p>
      </Card>
    </div>
  )
}
