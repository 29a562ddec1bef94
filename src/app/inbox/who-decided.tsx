import { useQuery } from "@tanstack/react-query"
import type { RecordEntry, RecordPage } from "../../contract/desk.ts"
import { workRecordOptions } from "../client/item-reads.ts"
import { useSession } from "../client/session.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import type { Item, ItemInput, ItemNoun } from "./item-noun.ts"

type Props<Of extends Item, Input extends ItemInput> = {
  noun: ItemNoun<Of, Input>
  item: Of
  /** Whether it was sent from this browser and the service has answered. The entry of the record may come a moment later. */
  recordedHere: boolean
}

/** Who answered or decided, by the desk's own record, with the service's account beside it. */
export function WhoDecided<Of extends Item, Input extends ItemInput>({ noun, item, recordedHere }: Props<Of, Input>) {
  const { data: record } = useQuery(workRecordOptions(item.work_id))
  const isLocal = useSession()?.mode === "local"
  const { actor, at } = noun.resolutionOf(item)
  const entry = record && entryOf(noun, item, record)
  const isKnown = record !== undefined && (entry !== undefined || record.next_cursor === undefined)
  const word = noun.doneWord(item)
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
function entryOf<Of extends Item, Input extends ItemInput>(
  noun: ItemNoun<Of, Input>,
  item: Of,
  record: RecordPage,
): RecordEntry | undefined {
  const entries = record.data.filter(
    (entry) =>
      entry.operation === noun.operation && entry.item_id === item.id && noun.mayHaveMade(entry.decision, item),
  )
  return entries.find(({ outcome }) => outcome === "recorded") ?? entries.find(({ outcome }) => outcome === "unknown")
}
