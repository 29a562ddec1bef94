/** What the inbox needs of a kind of item: how it is read, stored, sent and rendered. `item.ts` has what both kinds share. */
import type { UseQueryOptions } from "@tanstack/react-query"
import type { ComponentType } from "react"
import type { ApprovalsGiven } from "../../contract/desk-work.ts"
import type { Approval } from "../../contract/resources.ts"
import type { DeskError } from "../client/desk-error.ts"
import type { Kind } from "../client/storage.ts"
import type { Intent } from "../client/stored-intent.ts"
import type { Clarification, Waiting, WaitingItem } from "../client/waiting.ts"
import type { InputOf, Item, ItemId, ItemKind, Resolved } from "./item.ts"
import type { OpenDecision } from "./use-decision.ts"

/** An item to be read, beside its older version. */
export type LetterProps<Of extends Item> = { readonly item: Of; readonly before?: Of | undefined }

export type ControlsProps<Of extends Item> = {
  readonly decision: OpenDecision<Of>
  /** Whether single keys act on this item, and its buttons stay in the window on a phone. */
  readonly current: boolean
  /** Whether the card still shows what the app wrote. If not, nothing may be sent. */
  readonly isIntact: boolean
}

/** Why nothing can be sent about a card that the browser has changed. */
export const CHANGED_BY_BROWSER =
  "Your browser or an extension changed this text, perhaps by translating it. Turn that off to decide on the original."

/** How the items of one kind are read, kept, sent and drawn. What the kinds share is in `item.ts`. */
export type ItemVariant<Of extends Item> = {
  readonly kind: ItemKind
  readonly waitingOf: (waiting: Waiting) => readonly WaitingItem<Of>[]
  readonly itemsOf: (workId: string) => UseQueryOptions<readonly Of[], DeskError>
  readonly snapshots: Kind<ItemId, Of>
  readonly intents: Kind<ItemId, Intent<InputOf<Of>, Resolved>>
  /**
   * Sends a decision. `held`: the desk keeps the decision until enough people have approved.
   *
   * @param together the id that all decisions of one dialog share; undefined for a decision about one item
   * @throws DeskError
   */
  readonly send: (
    id: ItemId,
    input: InputOf<Of>,
    key: string,
    together?: string,
  ) => Promise<{ data: Of; replayed: boolean } | { held: ApprovalsGiven }>
  readonly Letter: ComponentType<LetterProps<Of>>
  readonly Controls: ComponentType<ControlsProps<Of>>
}

export type ItemVariants = {
  readonly clarification: ItemVariant<Clarification>
  readonly approval: ItemVariant<Approval>
}
