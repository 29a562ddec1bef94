/** What the inbox needs of letters that are alike. The page passes it on, because the inbox knows nothing about approvals. */
import type { ComponentType } from "react"
import type { InboxLine } from "./inbox-lines.ts"
import type { InboxPage } from "./inbox-view.ts"
import type { ItemId } from "./item.ts"

export type AlikeCardProps = {
  readonly page: InboxPage
  /** The first letter of the group, which the address names. */
  readonly first: ItemId
  /** The lines of the list, from which the group is found where the history has none. */
  readonly lines: readonly InboxLine[]
  /** The address of the list. */
  readonly home: string
  /** Called with the key of a line whose letter was decided here, or whose approve the desk holds. */
  readonly onDecided: (key: string) => void
}

export type Alike = {
  /** The groups of letters that are alike, by the key of each of their lines. */
  readonly find: (lines: readonly InboxLine[]) => ReadonlyMap<string, { readonly keys: readonly string[] }>
  /** Shows the letters of a group together. */
  readonly Card: ComponentType<AlikeCardProps>
}
