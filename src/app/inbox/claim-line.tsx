import { useQueryClient } from "@tanstack/react-query"
import { type ComponentProps, type ReactNode, use, useEffect, useRef, useState, useSyncExternalStore } from "react"
import { changeEntry, assignItem, type Holder, NOBODY, setAside, useEntryOf } from "../client/team-changes.ts"
import { usePresence } from "../client/report-presence.ts"
import { onEvents } from "../client/create-store.ts"
import { useMissingRole } from "../client/person.ts"
import { useSession } from "../client/session.ts"
import type { Entry } from "../client/storage.ts"
import type { WaitingItem } from "../client/waiting.ts"
import { AwayLine, useClaimWords } from "./claim-facts.tsx"
import { formatLooking } from "./claim-words.ts"
import { inboxAddress } from "./addresses.ts"
import { isGivenTo, teamOf } from "./inbox-view.ts"
import { type Item, ITEM_OPERATIONS, ITEM_WORDS, type ItemId, type ItemKind } from "./item.ts"
import styles from "./claims.module.css"
import { useItemKeys } from "./item-keys.ts"
import { AtRest } from "../ui/at-rest.ts"
import { Button } from "../ui/button.tsx"
import { CopyButton } from "../ui/copy-button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Icon } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { part } from "../ui/part.tsx"
import { useAct } from "../ui/use-act.ts"
import { RelativeTime } from "../ui/clocks.tsx"
import { useKeptFocus } from "../ui/use-kept-focus.ts"
import { useIsNarrow } from "../ui/use-is-phone.ts"

const HandTo = part("Hand to", async () => (await import("./claim-dialogs.tsx")).HandTo)
const SetAside = part("Set aside", async () => (await import("./claim-dialogs.tsx")).SetAside)

type Props = {
  kind: ItemKind
  id: ItemId
  /** The version that the person reads. */
  version: bigint
  draft: Entry<string>
  /** True for the one item on which single keys act. */
  current: boolean
  /** Whether lines above the letter already have the approvals given and the holder. */
  hasLines: boolean
  onAside: (() => void) | undefined
}

/** The line of a card that names the item's holder, with the buttons to take it, hand it over and set it aside. Reports the person's presence. */
export function ClaimLine(props: Props) {
  const entry = useEntryOf(props.kind, ...props.id)
  const isAtRest = use(AtRest)
  usePresence(props.id, props.draft, isAtRest)
  useOpened(props.id, isAtRest ? entry : undefined)
  return entry && <EntryLine {...props} entry={entry} />
}

/**
 * Reports to the desk that the person has seen an item that came back, which removes its mark (`until: null`). Presence reports remove the mark too, but
 * local mode has none, and a card that is already open when its item comes back would wait for the next report.
 */
function useOpened([work, item]: ItemId, entry: WaitingItem<Item> | undefined): void {
  const isHidden = useSyncExternalStore(onVisibility, () => document.hidden)
  const version = entry?.back === true && !isHidden ? String(entry.item.version) : undefined
  useEffect(() => {
    // If the request fails, the item stays marked.
    if (version !== undefined) setAside({ work, item, version, until: null }).catch(() => undefined)
  }, [work, item, version])
}

function EntryLine(props: Props & { entry: WaitingItem<Item> }) {
  const { kind, id, version, current, hasLines, entry } = props
  const [work, item] = id
  const session = useSession()
  const isShared = session?.mode === "sign-in"
  const [asking, setAsking] = useState<"hand" | "aside">()
  const { assignment, people = [], aside } = entry
  const isGivenToTeam = isGivenTo(entry, session) && teamOf(entry) !== undefined
  const isHolder = isGivenTo(entry, session) && !isGivenToTeam
  const words = useClaimWords(entry)
  const { missingRole, etag, handTo, putAside, assign, bringBack } = useClaimWrites(props)
  const take = () => assign.act({ person: session?.person.id ?? "" })
  const giveBack = () => assign.act(null)
  const line = useRef<HTMLDivElement>(null)
  useKeptFocus(line, () => line.current?.querySelector("button"))
  const shortcuts = { t: () => !isHolder && take(), s: () => aside === undefined && setAsking("aside") }
  useItemKeys(id, shortcuts, { current, active: asking === undefined })
  return (
    <>
      <div ref={line} className={styles["line"]}>
        {((words !== "" && !hasLines) || people.length > 0) && (
          <span className={styles["said"]}>
            {!hasLines && <OutsideText>{words}</OutsideText>}
            {people.map((person) => (
              <span key={person.id}>
                {" "}
                <Icon name="eye" size={15} /> <OutsideText>{formatLooking(person, ITEM_WORDS[kind].typed)}</OutsideText>
              </span>
            ))}
            {assignment && !hasLines && <AwayLine assignment={assignment} />}
          </span>
        )}
        <Actions>
          {isShared && (
            <>
              <Action inactive={missingRole ?? !assign.isArmed} onClick={isHolder ? giveBack : take}>
                {isHolder ? "Give back" : "Take it"}
              </Action>
              {isGivenToTeam && (
                <Action inactive={missingRole ?? !assign.isArmed} onClick={giveBack}>
                  Give back
                </Action>
              )}
              <Action inactive={missingRole} onClick={() => setAsking("hand")}>
                Hand to
              </Action>
            </>
          )}
          {aside === undefined ? (
            <Action onClick={() => setAsking("aside")}>Set aside</Action>
          ) : (
            <>
              <span className="soft">
                Set aside, back <RelativeTime at={aside.until} />
              </span>
              <Action inactive={!bringBack.isArmed || assign.isPending} onClick={() => bringBack.act()}>
                Bring back
              </Action>
            </>
          )}
          <CopyButton label="Copy link" text={new URL(inboxAddress(INBOXES[kind], work, item), location.href).href} />
        </Actions>
      </div>
      <ErrorAlert
        error={assign.error}
        // The desk answers the long poll of `client/follow-waiting.ts` at each change, so the card shows the new holder.
        {...(assign.error?.failure === "stale" && {
          words: {
            happened: "Somebody else has just taken this item or handed it over. See above for who has it now.",
            toDo: "",
          },
        })}
        compact
      />
      <ErrorAlert error={bringBack.error} compact />
      {asking === "hand" && <HandTo id={id} etag={etag} onHand={handTo} onClose={() => setAsking(undefined)} />}
      {asking === "aside" && (
        <SetAside
          isUrgent={entry.work.priority === "urgent"}
          decideBy={entry.decide_by}
          version={version}
          onSetAside={putAside}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  )
}

type WritesProps = Pick<Props, "kind" | "id" | "onAside"> & { entry: WaitingItem<Item> }

/** The writes about an item's holder and about setting it aside. Each removes the error of the other. */
function useClaimWrites({ kind, id: [work, item], onAside, entry }: WritesProps) {
  const client = useQueryClient()
  const isShared = useSession()?.mode === "sign-in"
  // Only people who may decide the item may give it to somebody.
  const missingRole = useMissingRole(ITEM_OPERATIONS[kind])
  const etag = entry.assignment?.etag ?? NOBODY
  const handTo = async (seen: string, to: Holder | null, note?: string) => {
    const { assignment } = await assignItem({ work, item, to, ...(note && { note }) }, seen)
    changeEntry(client, work, item, { assignment: assignment ?? undefined })
  }
  const putAside = async (seen: bigint, until: string | null) => {
    await setAside({ work, item, version: String(seen), until })
    changeEntry(client, work, item, { aside: until === null ? undefined : { until } })
    if (until !== null) onAside?.()
  }
  const bringBack = useAct(String(entry.item.version), (seen) => putAside(BigInt(seen), null), {
    ready: entry.aside !== undefined,
  })
  // A button's label changes when somebody takes the item. A click meant for the old label does nothing.
  const assign = useAct(etag, (seen, to: Holder | null) => handTo(seen, to), {
    ready: isShared && missingRole === undefined && !bringBack.isPending,
  })
  return {
    missingRole,
    etag,
    handTo,
    putAside,
    assign: {
      ...assign,
      act: (to: Holder | null) => {
        bringBack.clear()
        assign.act(to)
      },
    },
    bringBack: {
      ...bringBack,
      act: () => {
        assign.clear()
        bringBack.act()
      },
    },
  }
}

/** The page on which an item of each kind opens. */
const INBOXES = { clarification: "/needs-you", approval: "/approvals" } as const

const onVisibility = onEvents(globalThis.document, "visibilitychange")

function Actions({ children }: { children: ReactNode }) {
  const isNarrow = useIsNarrow()
  if (!isNarrow) return <span className={styles["actions"]}>{children}</span>
  return (
    // The opened buttons must not be behind the fixed bar of the card (approvals/decision-bar.tsx).
    <details
      className={styles["more"]}
      onToggle={({ currentTarget }) => currentTarget.open && currentTarget.scrollIntoView({ block: "nearest" })}
    >
      <summary>More</summary>
      {children}
    </details>
  )
}

const Action = (props: ComponentProps<typeof Button>) => <Button kind="plain" size="small" {...props} />
