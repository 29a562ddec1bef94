import { useQueryClient } from "@tanstack/react-query"
import { type ComponentProps, type ReactNode, useEffect, useState, useSyncExternalStore } from "react"
import { giveItem, type Holder, NOBODY, setAside, usePresence } from "../client/claims.ts"
import { onEvents } from "../client/create-store.ts"
import { useDeskMutation } from "../client/desk-queries.ts"
import { useMissingRole, useSession } from "../client/session.ts"
import { changeEntry, useEntryOf, type WaitingItem } from "../client/waiting.ts"
import { isMine } from "./inbox-lines.ts"
import { type Item, ITEM_OPERATIONS, ITEM_WORDS, type ItemId, type ItemKind } from "./item.ts"
import { sayLooking, useClaimWords } from "./claim-words.tsx"
import styles from "./claims.module.css"
import { useArmed, useItemKeys } from "./use-decision.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Icon } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { part } from "../ui/part.tsx"
import { RelativeTime } from "../ui/clocks.tsx"

const HandTo = part("Hand to", async () => (await import("./claim-dialogs.tsx")).HandTo)
const SetAside = part("Set aside", async () => (await import("./claim-dialogs.tsx")).SetAside)

type Props = {
  kind: ItemKind
  id: ItemId
  text: string
  /** True for the one item on which single keys act. */
  current: boolean
  onAside: (() => void) | undefined
}

/** The line of a card: what others do with the item, and the buttons to take it, hand it over and set it aside. Tells others who looks. */
export function ClaimLine(props: Props) {
  const entry = useEntryOf(props.kind, ...props.id)
  usePresence(props.id, props.text)
  useOpened(props.id, entry)
  return entry && <EntryLine {...props} entry={entry} />
}

/**
 * Tells the desk that the person sees an item that came back, so that the desk ends the mark (`until: null`). A report of `usePresence` ends
 * the mark too, but in local mode nobody reports, and a card that is open when its item comes back would wait for the next report.
 */
function useOpened([work, item]: ItemId, entry: WaitingItem<Item> | undefined): void {
  const isHidden = useSyncExternalStore(onVisibility, () => document.hidden)
  const version = entry?.back === true && !isHidden ? String(entry.item.version) : undefined
  useEffect(() => {
    // Where the request fails, the item stays marked.
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
  // Only who may decide the item may give it to somebody.
  const missingRole = useMissingRole(ITEM_OPERATIONS[kind])
  const { assignment, people = [], aside } = entry
  const isOwn = isMine(entry, session)
  const words = useClaimWords(entry)
  const give = async (to: Holder | null, note?: string) => {
    const given = await giveItem({ work, item, to, ...(note && { note }) }, assignment?.etag ?? NOBODY)
    changeEntry(client, work, item, { assignment: given.assignment ?? undefined })
  }
  const putAside = async (until: string | null) => {
    await setAside({ work, item, version: String(entry.item.version), until })
    changeEntry(client, work, item, { aside: until === null ? undefined : { until } })
    if (until !== null) onAside?.()
  }
  // One write at a time, so that the next write clears the error of the last.
  const write = useDeskMutation((what: "give" | "bring back") =>
    what === "give" ? give(isOwn ? null : { person: myId }) : putAside(null),
  )
  const mayGive = isShared && missingRole === undefined
  // The button changes its words when somebody takes the item. A click that was meant for the words before does nothing.
  const armed = useArmed(assignment?.etag ?? "", mayGive && !write.isPending)
  const takeOrGiveBack = () => armed && write.mutate("give")
  useItemKeys(
    id,
    current,
    { t: () => !isOwn && takeOrGiveBack(), s: () => aside === undefined && setAsking("aside") },
    asking === undefined,
  )
  return (
    <>
      <div className={styles["line"]}>
        {(words !== "" || people.length > 0) && (
          <span className={styles["said"]}>
            <OutsideText>{words}</OutsideText>
            {people.map((person) => (
              <span key={person.id}>
                {" "}
                <Icon name="eye" size={15} /> <OutsideText>{sayLooking(person, ITEM_WORDS[kind].typed)}</OutsideText>
              </span>
            ))}
          </span>
        )}
        <Actions>
          {isShared && (
            <>
              <Action inactive={!armed} disabledReason={missingRole} onClick={takeOrGiveBack}>
                {isOwn ? "Give back" : "Take it"}
              </Action>
              <Action disabledReason={missingRole} onClick={() => setAsking("hand")}>
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
              <Action inactive={write.isPending} onClick={() => write.mutate("bring back")}>
                Bring back
              </Action>
            </>
          )}
        </Actions>
      </div>
      <ErrorAlert
        error={write.error}
        // The desk answers the long poll of `client/follow-waiting.ts` at each change, so the line above shows the new holder.
        {...(write.variables === "give" &&
          write.error?.failure === "stale" && {
            words: { happened: "Somebody else was faster. This shows who has it now.", toDo: "" },
          })}
        compact
      />
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

const onVisibility = onEvents(globalThis.document, "visibilitychange")

const phone = globalThis.matchMedia?.("(max-width: 720px)")
const onPhone = onEvents(phone, "change")

/** Whether the window is as narrow as a phone. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(onPhone, () => phone?.matches ?? false)
}

/** The actions in a row; on a phone in a menu. */
function Actions({ children }: { children: ReactNode }) {
  const isPhone = useIsPhone()
  if (!isPhone) return <span className={styles["actions"]}>{children}</span>
  return (
    <details className={styles["more"]}>
      <summary>More</summary>
      {children}
    </details>
  )
}

const Action = (props: ComponentProps<typeof Button>) => <Button kind="plain" size="small" {...props} />
