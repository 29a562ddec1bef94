import type { UseQueryOptions } from "@tanstack/react-query"
import type { ComponentType, ReactNode, RefObject } from "react"
import type { Waiting, WaitingItem } from "../../contract/desk.ts"
import type { Approval, Attention, OperationId } from "../../contract/resources.ts"
import type { DeskError } from "../client/desk-error.ts"
import type { Intent } from "../client/intent.ts"
import type { Kind } from "../client/storage.ts"
import type { OpenDecision } from "./use-decision.ts"

/** The two things that wait for a person. */
export type Item = Approval | Attention

/** An item's id alone is not known to be unique across Work: openapi.yaml says nothing of the form of ids. */
export type ItemId = readonly [workId: string, id: string]

/** What a person sends about an item: bound to the version that was on the screen, with the text that was typed. */
export type ItemInput = { readonly version: bigint; readonly text: string }

/** An item to be read, beside what it said before. `body` and `end` mark the text that is to be read to its end. */
export type LetterProps<Of extends Item> = {
  readonly item: Of
  readonly before?: Of | undefined
  readonly body?: RefObject<HTMLDivElement | null>
  readonly end?: RefObject<HTMLDivElement | null>
}

export type ControlsProps<Of extends Item, Input extends ItemInput> = {
  readonly decision: OpenDecision<Of, Input>
  /** Single keys mean this item, and on a phone its buttons stay in the window. */
  readonly current: boolean
}

/**
 * What the inbox has to know of clarifications and of approvals: how they are read, sent and kept, and how they look. Everything else
 * about answering and deciding is the same for both.
 */
export type ItemNoun<Of extends Item, Input extends ItemInput> = {
  readonly noun: "answer" | "approval"
  readonly page: "/needs-you" | "/approvals"
  readonly operation: OperationId
  readonly words: ItemWords
  readonly isOpen: (item: Of) => boolean
  readonly titleOf: (item: Of) => string
  readonly waitingOf: (waiting: Waiting) => readonly WaitingItem<Of>[]
  readonly itemsOf: (workId: string) => UseQueryOptions<readonly Of[], DeskError>
  readonly snapshots: Kind<ItemId, Of>
  readonly intents: Kind<ItemId, Intent<Input, Of>>
  readonly send: (id: ItemId, input: Input, key: string) => Promise<{ data: Of; replayed: boolean }>
  /** The sentence of who did it: "Approved", "Answered". */
  readonly doneWord: (item: Of) => string
  /** Whether an entry of the record may have made the item what it is. */
  readonly mayHaveMade: (decision: string | undefined, item: Of) => boolean
  /** The name of the service's account that did it, and when. */
  readonly resolutionOf: (item: Of) => { readonly actor: string | undefined; readonly at: string | undefined }
  /** What was answered, or the comment of the decision. */
  readonly textOf: (item: Of) => string | undefined
  readonly Outcome: ComponentType<{ item: Of; replayed: boolean; recordedHere: boolean }>
  readonly Letter: ComponentType<LetterProps<Of>>
  /** What stands above the letter while it is to be decided. */
  readonly Before?: ComponentType<{ id: ItemId; item: Of }>
  readonly Controls: ComponentType<ControlsProps<Of, Input>>
  /** What stands within the item's link in the list, below its title. */
  readonly Mark?: ComponentType<{ id: ItemId }>
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
  /** The name of the text that a resolved item had, and of its disclosure. */
  readonly textName: string
  readonly letterName: string
  readonly doneName: string
  /** Of an item about which nothing else is known. */
  readonly goneTitle: string
  readonly goneShort: string
  readonly gone: string
  readonly resolvedElsewhere: string
  readonly changed: ReactNode
}
