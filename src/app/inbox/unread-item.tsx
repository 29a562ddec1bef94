/** The card of a clarification or approval whose text can't be read. */
import { type Item, type ItemKind, type WhyUnreadable, whyUnreadable } from "./item.ts"
import { Callout } from "../ui/callout.tsx"
import { Identifier } from "../ui/copy-button.tsx"
import { Details, Fact } from "../ui/facts.tsx"

const REASONS: Readonly<Record<WhyUnreadable, string>> = {
  "too large": "This contains more than 1 MiB of text, so it can't be shown here.",
  "too many marks": "This contains more than a thousand hidden characters, so it can't be shown here.",
  malformed: "The service sent this in an unreadable format.",
}

const WAYS_OUT: Readonly<Record<ItemKind, string>> = {
  approval: "You can only decline it.",
  clarification: "You can't answer it here.",
}

/** Why an item that cannot be read can't be approved or answered. */
export const formatUnreadItem = (unread: WhyUnreadable, kind: ItemKind): string =>
  `${REASONS[unread]} ${WAYS_OUT[kind]}`

/** Replaces the text of an item that can't be read. */
export function UnreadItem({ item, kind }: { item: Item; kind: ItemKind }) {
  const unread = whyUnreadable(item)
  if (unread === undefined) return null
  return (
    <>
      <Callout tone="warn" icon="unknown" compact>
        {formatUnreadItem(unread, kind)}
      </Callout>
      <UnreadDetails of={item} />
    </>
  )
}

/** The ids of something that cannot be read. */
export function UnreadDetails({ of }: { of: { readonly id: string; readonly work_id?: string } }) {
  return (
    <Details>
      <Fact name="ID">
        <Identifier value={of.id} copyable="ID" />
      </Fact>
      {of.work_id !== undefined && of.work_id !== "" && (
        <Fact name="Work">
          <Identifier value={of.work_id} copyable="Work ID" />
        </Fact>
      )}
    </Details>
  )
}
