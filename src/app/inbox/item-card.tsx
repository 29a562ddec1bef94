import { useRef } from "react"
import { itemKey } from "./addresses.ts"
import { DecisionCallout, KeptText, NewerVersion } from "./decision-callout.tsx"
import styles from "./item-card.module.css"
import type { Listing } from "./item-state.ts"
import { type Item, ITEM_WORDS, type ItemId, titleOf } from "./item.ts"
import { GoneCard } from "./gone-card.tsx"
import { ResolvedCard } from "./resolved-card.tsx"
import { ClaimLine } from "./claim-line.tsx"
import { CHANGED_BY_BROWSER, type ItemVariant } from "./item-variant.ts"
import { type OpenDecision, useDecision } from "./use-decision.ts"
import { Button } from "../ui/button.tsx"
import { Callout, CalloutLine, Callouts } from "../ui/callout.tsx"
import { Card } from "../ui/card.tsx"
import { ChangedText } from "../ui/facts.tsx"
import { RelativeTime } from "../ui/clocks.tsx"
import { Skeleton } from "../ui/page-parts.tsx"
import { Boundary, MissingPart } from "../ui/part.tsx"
import { useIntact } from "../ui/use-intact.ts"
import { useKeptFocus } from "../ui/use-kept-focus.ts"

type Props<Of extends Item> = {
  variant: ItemVariant<Of>
  id: ItemId
  listing: Listing<Of>
  level: 2 | 3
  /** Whether single keys act on this item, and its buttons stay in the window on a phone. */
  current: boolean
  /** Called when the service has confirmed what was sent from here, or the desk keeps an approve. */
  onDone?: () => void
  /** Called when the person has set the item aside. */
  onAside?: () => void
  /** When the last event of the Work came, in ms since 1970, where its stream is open. */
  lastEventAt?: number | undefined
}

/**
 * One clarification or approval: the request, the decision, and the outcome. Its React key is the id of the item. When the focused element is
 * removed, the focus moves to the heading of the card.
 */
export function ItemCard<Of extends Item>(props: Props<Of>) {
  const { variant, id, listing, current, onDone } = props
  const decision = useDecision(variant, id, listing, onDone)
  const card = useRef<HTMLDivElement>(null)
  const { watch, drawing, ...drawn } = useIntact()
  useKeptFocus(card, () => card.current?.querySelector<HTMLElement>("h2, h3"))
  return (
    <div
      ref={card}
      tabIndex={-1}
      className={styles["frame"]}
      data-card={itemKey(id)}
      data-current={current ? "" : undefined}
    >
      <Boundary replace={missingCard}>
        <div key={drawing} ref={watch}>
          <CardOf {...props} decision={decision} drawn={drawn} />
        </div>
      </Boundary>
    </div>
  )
}

const missingCard = () => <MissingPart name="This item" />

/** Whether the card still shows what the app wrote, and how to draw it anew. */
type Drawn = Pick<ReturnType<typeof useIntact>, "isIntact" | "redraw">
type CardProps<Of extends Item> = Props<Of> & { decision: ReturnType<typeof useDecision<Of>>; drawn: Drawn }

function CardOf<Of extends Item>({ decision, ...props }: CardProps<Of>) {
  const { variant, id, level, lastEventAt } = props
  switch (decision.kind) {
    case "loading":
      return <LoadingCard level={level} />
    case "open":
      return <OpenCard {...props} decision={decision} />
    case "confirmed":
      return (
        <ResolvedCard
          kind={variant.kind}
          id={id}
          resolved={decision.resolved}
          replayed={decision.replayed}
          level={level}
          sentHere
          lastEventAt={lastEventAt}
        >
          {decision.item && <variant.Letter item={decision.item} />}
        </ResolvedCard>
      )
    case "gone":
      return (
        <GoneCard kind={variant.kind} id={id} decision={decision} level={level}>
          {decision.last && <variant.Letter item={decision.last} />}
        </GoneCard>
      )
  }
}

type OpenProps<Of extends Item> = Pick<Props<Of>, "variant" | "level" | "current" | "onAside"> & {
  decision: OpenDecision<Of>
  drawn: Drawn
}

function OpenCard<Of extends Item>({ variant, decision, drawn, level, current, onAside }: OpenProps<Of>) {
  const words = ITEM_WORDS[variant.kind]
  const { shown, before, newer } = decision
  const version = String(shown.version)
  // Only the letter is left then, without the lines above it.
  const isForbidden = decision.refusal === "forbidden"
  return (
    <Card
      needs
      level={level}
      title={
        <span key={version} data-read="" className={styles["title"]}>
          <ChangedText>{titleOf(shown)}</ChangedText>
        </span>
      }
      aside={<RelativeTime at={shown.created_at} className="soft small" />}
    >
      <ClaimLine
        kind={variant.kind}
        id={decision.id}
        version={shown.version}
        draft={decision.draft}
        current={current}
        hasLines={variant.kind === "approval" && !isForbidden}
        onAside={onAside}
      />
      <Callouts announce="status">
        {newer && (
          <div key={String(newer.version)} data-read="">
            <NewerVersion version={newer.version} onShow={decision.showNewer} />
          </div>
        )}
        {before && (
          <div key={`${version} ${String(before.version)}`} data-read="">
            <Callout tone="warn" icon="refresh" compact>
              This is version {version}. Changes since version {String(before.version)} are marked.
            </Callout>
          </div>
        )}
        {!drawn.isIntact && (
          <Callout tone="warn" icon="warning" compact>
            {CHANGED_BY_BROWSER}
            <CalloutLine>
              <Button size="small" onClick={drawn.redraw}>
                Show the original
              </Button>
            </CalloutLine>
          </Callout>
        )}
        {decision.intent?.state === "sending" && <DecisionCallout decision={decision} sent={words.sent} />}
      </Callouts>
      <Callouts>
        {(decision.intent?.state === "unknown" || decision.intent?.state === "refused") && (
          <div key={decision.intent.state} data-read="">
            <DecisionCallout decision={decision} sent={words.sent} />
          </div>
        )}
      </Callouts>
      {isForbidden ? (
        <>
          <variant.Letter item={shown} before={before} />
          <KeptText what={words.typed} text={decision.text} />
        </>
      ) : (
        <variant.Controls decision={decision} current={current} isIntact={drawn.isIntact} />
      )}
    </Card>
  )
}

function LoadingCard({ level }: Pick<Props<Item>, "level">) {
  return (
    <div aria-busy="true">
      <Card level={level} title={<Skeleton width="60%" />}>
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
