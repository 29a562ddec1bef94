/** The name under which the intent and the drafts about an item of a Work are kept; ids may hold any character. */
export function itemSlot(noun: "answer" | "approval", workId: string, id: string): string {
  return `${noun}/${encodeURIComponent(workId.toWellFormed())}/${encodeURIComponent(id.toWellFormed())}`
}
