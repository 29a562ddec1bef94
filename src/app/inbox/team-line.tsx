import { useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useEffect, useId, useState, useSyncExternalStore } from "react"
import { useMissingRole } from "../client/missing-role.ts"
import { useSession } from "../client/session.ts"
import { giveItem, NOBODY, setAside } from "../client/team.ts"
import { changeEntry, useEntryOf, type WaitingItem } from "../client/waiting.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Icon } from "../ui/icon.tsx"
import { useClock } from "../ui/now.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { useShortcuts } from "../ui/shortcuts.ts"
import { part } from "../ui/part.tsx"
import { isMine } from "./inbox-lines.ts"
import { type Item, type ItemId, type ItemName, ITEM_OPERATIONS, ITEM_WORDS } from "./item.ts"
import styles from "./team.module.css"
import { useAct } from "./use-act.ts"
import { sayApprovals, sayAssignment, sayLooking } from "./team-words.ts"

const HandTo = part("Hand to", async () => (await import("./hand-to.tsx")).HandTo)
const SetAside = part("Set aside", async () => (await import("./set-aside.tsx")).SetAside)

type Props = {
  kind: ItemName
  id: ItemId
  /** True for the one item on which single keys act. */
  current: boolean
  /** Called when the person has set the item aside. */
  onAside: (() => void) | undefined
}

/** The line of a card that says what others do with the item, with what a person can do about that. */
export function TeamLine(props: Props) {
  const entry = useEntryOf(props.kind, ...props.id)
  useOpened(props.id, entry)
  return entry && <EntryLine {...props} entry={entry} />
}

/** Tells the desk that the person has opened an item that came back. */
function useOpened([work, item]: ItemId, entry: WaitingItem<Item> | undefined): void {
  const version = entry?.back === true ? String(entry.item.version) : undefined
  useEffect(() => {
    // The item stays marked where the desk does not hear of it.
    if (version !== undefined) setAside({ work, item, version, until: null }).catch(() => undefined)
  }, [work, item, version])
}

function EntryLine({ kind, id, current, onAside, entry }: Props & { entry: WaitingItem<Item> }) {
  const [work, item] = id
  const client = useQueryClient()
  const session = useSession()
  const myId = session?.person.id ?? ""
  const isShared = session?.mode === "sign-in"
  const [asking, setAsking] = useState<"hand" | "aside">()
  const { error, act } = useAct()
  // Only who may decide the item may give it to somebody.
  const missingRole = useMissingRole(ITEM_OPERATIONS[kind])
  const whyId = useId()
  const { assignment, people = [], approvals, aside } = entry
  const isOwn = assignment !== undefined && isMine(entry, { id: myId, teams: session?.teams ?? [] })
  const words = useClock((now) =>
    [
      ...(approvals === undefined ? [] : [sayApprovals(approvals, now)]),
      ...(assignment === undefined ? [] : [sayAssignment(assignment, myId, now)]),
    ].join(" · "),
  )
  const give = async (to: { person: string } | { team: string } | null, note?: string) => {
    const given = await giveItem({ work, item, to, ...(note && { note }) }, assignment?.etag ?? NOBODY)
    changeEntry(client, work, item, { assignment: given.assignment ?? undefined })
  }
  const putAside = async (until: string | null) => {
    await setAside({ work, item, version: String(entry.item.version), until })
    changeEntry(client, work, item, { aside: until === null ? undefined : { until } })
    if (until !== null) onAside?.()
  }
  const take = () => act(() => give({ person: myId }))
  const mayGive = isShared && missingRole === undefined
  useShortcuts(
    { t: () => mayGive && !isOwn && take(), s: () => aside === undefined && setAsking("aside") },
    { active: current && asking === undefined },
  )
  return (
    <>
      <div className={styles["line"]}>
        <span className={styles["said"]}>
          <OutsideText>{words}</OutsideText>
          {people.map((person) => (
            <span key={person.id}>
              {" "}
              <Icon name="eye" size={15} /> <OutsideText>{sayLooking(person, ITEM_WORDS[kind].typed)}</OutsideText>
            </span>
          ))}
        </span>
        <Actions>
          {isShared && (
            <>
              {isOwn ? (
                <Button kind="plain" size="small" inactive={!mayGive} onClick={() => act(() => give(null))}>
                  Give back
                </Button>
              ) : (
                <Button kind="plain" size="small" inactive={!mayGive} aria-describedby={whyId} onClick={take}>
                  Take it
                </Button>
              )}
              <Button
                kind="plain"
                size="small"
                inactive={!mayGive}
                aria-describedby={whyId}
                onClick={() => setAsking("hand")}
              >
                Hand to
              </Button>
              {missingRole !== undefined && (
                <span id={whyId} className="visually-hidden">
                  {missingRole}
                </span>
              )}
            </>
          )}
          {aside === undefined ? (
            <Button kind="plain" size="small" onClick={() => setAsking("aside")}>
              Set aside
            </Button>
          ) : (
            <>
              <span className="soft">
                Set aside, back <RelativeTime at={aside.until} />
              </span>
              <Button kind="plain" size="small" onClick={() => act(() => putAside(null))}>
                Bring back
              </Button>
            </>
          )}
        </Actions>
      </div>
      {error && (
        <ErrorAlert
          error={error}
          {...(error.failure === "stale" && {
            words: { happened: "Somebody else was faster. This shows who has it now.", toDo: "" },
          })}
          compact
        />
      )}
      {asking === "hand" && <HandTo id={id} onHand={give} onClose={() => setAsking(undefined)} />}
      {asking === "aside" && (
        <SetAside
          isUrgent={entry.work.priority === "urgent"}
          decideBy={entry.decide_by}
          onSetAside={putAside}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  )
}

const phone = globalThis.matchMedia?.("(max-width: 720px)")
const subscribe = (listener: () => void) => {
  phone?.addEventListener("change", listener)
  return () => phone?.removeEventListener("change", listener)
}

/** The actions in a row; on a phone in a menu. */
function Actions({ children }: { children: ReactNode }) {
  const isPhone = useSyncExternalStore(subscribe, () => phone?.matches ?? false)
  if (!isPhone) return <span>{children}</span>
  return (
    <details className={styles["more"]}>
      <summary>More</summary>
      {children}
    </details>
  )
}
