import { useRef } from "react"
import { Card } from "../ui/card.tsx"
import { MixedScripts } from "../ui/mixed-scripts.tsx"
import { Notices } from "../ui/notice.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import { useKeptFocus } from "../ui/use-kept-focus.ts"
import styles from "./item-card.module.css"
import { DecisionNotice, NewerVersion, ShowsChange } from "./decision-notice.tsx"
import { type Item, type ItemId, ITEM_WORDS, titleOf } from "./item.ts"
import type { ItemVariant } from "./item-variant.ts"
import { KeptText } from "./kept-text.tsx"
import { GoneCard, ResolvedCard } from "./resolved-card.tsx"
import { TeamLine } from "./team-line.tsx"
import { usePresence } from "./use-presence.ts"
import { type DecisionController, type ItemNow, type OpenDecision, useDecision } from "./use-decision.ts"

type Props<Of extends Item> = {
  variant: ItemVariant<Of>
  id: ItemId
  now: ItemNow<Of>
  level?: 2 | 3
  /** True for the one item on which single keys act, and whose buttons stay in the window on a phone. */
  current?: boolean
  /** Called when something that was sent from here has been recorded. */
  onRecorded?: (() => void) | undefined
  /** Called when the person has set the item aside. */
  onAside?: (() => void) | undefined
  /** When the last event of the Work came, in ms since 1970, where its stream is open. */
  lastEventAt?: number | undefined
}

/** One clarification or approval: the request, the decision, and the outcome. Its React key is the id of the item. */
export function ItemCard<Of extends Item>(props: Props<Of>) {
  const { variant, id, now, level = 2, current = true, onRecorded, onAside, lastEventAt } = props
  const decision = useDecision(variant, id, now, onRecorded)
  const { state } = decision
  switch (state.kind) {
    case "loading":
      return <LoadingCard />
    case "recorded":
      return (
        <ResolvedCard
          kind={variant.name}
          item={state.item}
          replayed={state.replayed}
          level={level}
          recordedHere
          lastEventAt={lastEventAt}
        >
          <variant.Letter item={state.item} />
        </ResolvedCard>
      )
    case "gone":
      return (
        <GoneCard
          kind={variant.name}
          last={state.last}
          error={state.error}
          typed={decision.text}
          level={level}
          onTryAgain={state.stillListed ? decision.discard : undefined}
        >
          {state.last !== undefined && <variant.Letter item={state.last} />}
        </GoneCard>
      )
    case "open":
      return decision.open === undefined ? null : (
        <OpenCard
          variant={variant}
          decision={decision}
          open={decision.open}
          level={level}
          current={current}
          onAside={onAside}
        />
      )
  }
}

type OpenProps<Of extends Item> = {
  variant: ItemVariant<Of>
  decision: DecisionController<Of>
  open: OpenDecision<Of>
  level: 2 | 3
  current: boolean
  onAside: (() => void) | undefined
}

function OpenCard<Of extends Item>({ variant, decision, open, level, current, onAside }: OpenProps<Of>) {
  const words = ITEM_WORDS[variant.name]
  const { shown, before, newer } = open.frozen
  const card = useRef<HTMLDivElement>(null)
  useKeptFocus(card, () => card.current)
  usePresence(open.id, open.text)
  return (
    <div ref={card} tabIndex={-1} className={styles["open"]}>
      <Card
        needs
        level={level}
        title={
          <>
            <OutsideText>{titleOf(shown)}</OutsideText> <MixedScripts text={titleOf(shown)} />
          </>
        }
        aside={<RelativeTime at={shown.created_at} className="soft small" />}
      >
        <TeamLine kind={variant.name} id={open.id} current={current} onAside={onAside} />
        <Notices>
          {newer && <NewerVersion version={newer.version} onShow={open.showNewer} />}
          {before && <ShowsChange version={shown.version} before={before.version} />}
          <DecisionNotice
            state={decision.state}
            sent={words.sent}
            onSendAgain={decision.sendAgain}
            onDiscard={decision.discard}
          />
        </Notices>
        {open.refused?.refusal === "forbidden" ? (
          <>
            <variant.Letter item={shown} before={before} />
            <KeptText what={words.typed} text={open.text} />
            <p className="soft small">version {String(shown.version)}</p>
          </>
        ) : (
          <variant.Controls decision={open} current={current} />
        )}
      </Card>
    </div>
  )
}

function LoadingCard() {
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
