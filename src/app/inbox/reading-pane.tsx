import { useQuery } from "@tanstack/react-query"
import { use, useEffect, useRef } from "react"
import { Link } from "react-router"
import type { DeskError } from "../client/desk-error.ts"
import { useIsComplete } from "../client/waiting.ts"
import { workOptions } from "../client/work-reads.ts"
import { workAddress } from "./addresses.ts"
import { DecisionStrip } from "./decision-strip.tsx"
import cardStyles from "./item-card.module.css"
import { ItemCard } from "./item-card.tsx"
import type { Listing } from "./item-state.ts"
import type { InboxWords } from "./inbox-words.ts"
import type { Item, ItemKind } from "./item.ts"
import type { ItemVariant } from "./item-variant.ts"
import type { InboxState } from "./use-inbox.ts"
import { AtRest } from "../ui/at-rest.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Icon } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"

type Props<Of extends Item> = {
  variant: ItemVariant<Of>
  words: InboxWords
  inbox: InboxState
  home: string
  listing: Listing<Of>
  error: DeskError | null
}

/** The chosen item below the strip with the last decision. */
export function ReadingPane<Of extends Item>({ variant, words, inbox, home, listing, error }: Props<Of>) {
  const { selected, selectedKey, advance } = inbox
  const pane = useRef<HTMLDivElement>(null)
  const keyBefore = useRef(selectedKey)
  useEffect(() => {
    // Each letter is shown from its beginning, even if the previous letter was scrolled down or the window is low.
    const top = pane.current?.getBoundingClientRect().top ?? 0
    // The banners may cover the top of the window.
    const start = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0
    if (selectedKey !== undefined && (top < start || top > innerHeight / 2))
      pane.current?.scrollIntoView({ block: "start" })
    // After J in a narrow window nothing has the focus, because the row is hidden.
    if (keyBefore.current !== selectedKey && document.activeElement === document.body)
      pane.current?.querySelector<HTMLElement>("[data-current] :is(h2, h3)")?.focus({ preventScroll: true })
    keyBefore.current = selectedKey
  }, [selectedKey])
  const notFound = useIsComplete() && !inbox.isLooking ? words.notFound : "Looking for this item…"
  const choose = inbox.rows.some((row) => !row.gone) && words.choose
  const hint = inbox.notFound ? notFound : choose
  return (
    <div ref={pane} data-pane="">
      <DecisionStrip inbox={inbox} home={home} />
      {selected === undefined && hint && <p className="soft">{hint}</p>}
      {selected && (
        <>
          <WorkCrumb kind={selected.kind} workId={selected.id[0]} />
          {error && <ErrorAlert error={error} retryAt={error.retryAt} compact />}
          <ItemCard
            key={selected.key}
            variant={variant}
            id={selected.id}
            listing={listing}
            level={2}
            current
            onDone={() => advance(selected)}
            onAside={() => advance(selected)}
          />
        </>
      )}
    </div>
  )
}

function WorkCrumb({ kind, workId }: { kind: ItemKind; workId: string }) {
  const work = useQuery({ ...workOptions(workId), enabled: use(AtRest) }).data
  return (
    <p className={cardStyles["crumb"]}>
      <Icon name={kind === "approval" ? "approvals" : "question"} />
      {kind === "approval" ? "Approval" : "Question"} ·{" "}
      <Link to={workAddress(workId)}>
        <OutsideText>{work?.title ?? workId}</OutsideText>
      </Link>
    </p>
  )
}
