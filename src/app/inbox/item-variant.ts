import type { UseQueryOptions } from "@tanstack/react-query"
import type { ComponentType, RefObject } from "react"
import type { ApprovalsGiven } from "../../contract/desk.ts"
import type { Approval, OperationId } from "../../contract/resources.ts"
import type { DeskError } from "../client/desk-error.ts"
import type { Intent } from "../client/stored-intent.ts"
import type { Kind } from "../client/storage.ts"
import type { Clarification, Waiting, WaitingItem } from "../client/waiting.ts"
import type { OpenDecision } from "./use-decision.ts"

/** The two things that wait for a person. */
export type Item = Approval | Clarification

/** openapi.yaml does not say that the id of an item is unique across Work, so the id of the Work goes with it. */
export type ItemId = readonly [workId: string, id: string]

/** What a person sends about an item: the version that was on the screen, and the text that was typed. */
export type ItemInput = { readonly version: bigint; readonly text: string }

/** An item to be read, beside its older version. `body` and `end` mark the text that has to be read to its end. */
export type LetterProps<Of extends Item> = {
  readonly item: Of
  readonly before?: Of | undefined
  readonly body?: RefObject<HTMLDivElement | null>
  readonly end?: RefObject<HTMLDivElement | null>
}

export type ControlsProps<Of extends Item, Input extends ItemInput> = {
  readonly decision: OpenDecision<Of, Input>
  /** Single keys act on this item, and on a phone its buttons stay in the window. */
  readonly current: boolean
}

/** What differs between clarifications and approvals: how they are read, sent and kept, and how they look. This folder has the rest. */
export type ItemVariant<Of extends Item, Input extends ItemInput> = {
  readonly name: "answer" | "approval"
  readonly page: "/needs-you" | "/approvals"
  readonly operation: OperationId
  readonly words: ItemWords
  readonly isOpen: (item: Of) => boolean
  readonly titleOf: (item: Of) => string
  readonly colleagueOf: (waits: WaitingItem<Of>) => string
  readonly waitingOf: (waiting: Waiting) => readonly WaitingItem<Of>[]
  readonly itemsOf: (workId: string) => UseQueryOptions<readonly Of[], DeskError>
  readonly snapshots: Kind<ItemId, Of>
  readonly intents: Kind<ItemId, Intent<Input, Of>>
  /** Sends a decision. `held`: the desk keeps it until enough people have approved. @throws DeskError */
  readonly send: (
    id: ItemId,
    input: Input,
    key: string,
  ) => Promise<{ data: Of; replayed: boolean } | { held: ApprovalsGiven }>
  readonly resolutionOf: (item: Of) => Resolution
  /** `recordedHere`: whether it was sent from this browser. */
  readonly Outcome: ComponentType<{ item: Of; replayed: boolean; recordedHere: boolean }>
  readonly Letter: ComponentType<LetterProps<Of>>
  readonly Controls: ComponentType<ControlsProps<Of, Input>>
  /** Shown in the list, within the link of the item, below its title. */
  readonly Mark?: ComponentType<{ id: ItemId; version: bigint }>
}

/** How an item was answered or decided. */
export type Resolution = {
  /** The verb of the sentence that says who did it: "Approved", "Answered". */
  readonly word: string
  /** The name of the service's account that did it. */
  readonly actor: string | undefined
  /** ISO 8601 */
  readonly at: string | undefined
  /** What was answered, or the comment of the decision. */
  readonly text: string | undefined
  /** Whether a decision of the record can have led to it. */
  readonly mayFollow: (decision: string | undefined) => boolean
}

export type ItemWords = {
  /** In the middle of a sentence: "answer", "decision". */
  readonly sent: string
  /** What the person types: "answer", "comment". */
  readonly typed: string
  /** The heading of the page, and what it says when nothing waits. */
  readonly heading: string
  readonly noneWait: string
  readonly noneWaitMore: string
  readonly choose: string
  readonly notFound: string
  /** The name of the text of a resolved item, and of the disclosure that shows the letter. */
  readonly textName: string
  readonly letterName: string
  readonly doneName: string
  /** The title of an item where only its id is known. */
  readonly goneTitle: string
  readonly goneShort: string
  readonly gone: string
  readonly resolvedElsewhere: string
}
