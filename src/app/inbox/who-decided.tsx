import { useQuery } from "@tanstack/react-query"
import type { RecordEntry, RecordPage } from "../../contract/desk-work.ts"
import { workRecordOptions } from "../client/work-reads.ts"
import { useSession } from "../client/session.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { type Item, ITEM_OPERATIONS, type ItemName, resolutionOf } from "./item.ts"

type Props = {
  kind: ItemName
  item: Item
  /** Whether it was sent from this browser and the service has answered. The entry of the record may come a moment later. */
  recordedHere: boolean
}

/** Who answered or decided, by the desk's own record, with the service's account beside it. */
export function WhoDecided({ kind, item, recordedHere }: Props) {
  const { data: record } = useQuery(workRecordOptions(item.work_id))
  const isLocal = useSession()?.mode === "local"
  const { word, actor, at } = resolutionOf(item)
  const entry = record && entryOf(kind, item, record)
  const isKnown = record !== undefined && (entry !== undefined || record.next_cursor === undefined)
  return (
    <>
      {isKnown && (
        <>
          <OutsideText>{sentence(word, entry, isLocal, recordedHere)}</OutsideText>
          {(actor !== undefined || at !== undefined) && <br />}
        </>
      )}
      {actor !== undefined && (
        <>
          {isKnown ? "Recorded by " : "by "}
          <OutsideText>{actor}</OutsideText>
          {at !== undefined && ", "}
        </>
      )}
      {at !== undefined && <RelativeTime at={at} />}
      {actor === undefined && at === undefined && !isKnown && "The service does not say by whom or when."}
    </>
  )
}

function sentence(word: string, entry: RecordEntry | undefined, isLocal: boolean, recordedHere: boolean): string {
  if (entry === undefined) return `${word}, not from this desk`
  if (entry.person.id === "local" || isLocal) return `${word} at this desk`
  if (entry.outcome === "recorded" || recordedHere) return `${word} by ${entry.person.name}`
  return `${word}; ${entry.person.name} sent this, the answer was lost`
}

/** The entry of the record that led to the status of the item: the recorded one, else the last with an unknown outcome. */
function entryOf(kind: ItemName, item: Item, record: RecordPage): RecordEntry | undefined {
  const { mayFollow } = resolutionOf(item)
  const entries = record.data.filter(
    ({ operation, item_id: id, decision }) =>
      operation === ITEM_OPERATIONS[kind] && id === item.id && mayFollow(decision),
  )
  return entries.find(({ outcome }) => outcome === "recorded") ?? entries.find(({ outcome }) => outcome === "unknown")
}
