/** What the inbox says about all that it lists: both kinds of items, or one. */
import type { ItemKind } from "./item.ts"

export type InboxWords = {
  readonly heading: string
  readonly none: string
  /** Said while the desk cannot be asked. */
  readonly noneAtLastCheck: string
  readonly noneMatch: string
  readonly noneMine: string
  readonly noneFree: string
  readonly choose: string
  /** An item of the address that is not there. */
  readonly notFound: string
}

export const INBOX_WORDS: Readonly<Record<"all" | ItemKind, InboxWords>> = {
  all: {
    heading: "Needs You",
    none: "Nothing needs you.",
    noneAtLastCheck: "Nothing needed you at the last check.",
    noneMatch: "No items match",
    noneMine: "No items are yours",
    noneFree: "No items are free",
    choose: "Choose an item to read it.",
    notFound: "The item at this address is no longer open, or your account may not see it.",
  },
  clarification: {
    heading: "Needs You",
    none: "No questions need you.",
    noneAtLastCheck: "No questions needed you at the last check.",
    noneMatch: "No questions match",
    noneMine: "No questions are yours",
    noneFree: "No questions are free",
    choose: "Choose a question to read it.",
    notFound: "This question is no longer open, or you can't see it.",
  },
  approval: {
    heading: "Approvals",
    none: "No approvals need you.",
    noneAtLastCheck: "No approvals needed you at the last check.",
    noneMatch: "No approvals match",
    noneMine: "No approvals are yours",
    noneFree: "No approvals are free",
    choose: "Choose an approval to read it.",
    notFound: "The approval at this address no longer waits, or your account may not see it.",
  },
}
