/** What a Work is waiting for, from the pending items that the person can see. */
import { useSession } from "./session.ts"
import { standingOf, useWaiting, type Waiting } from "./waiting.ts"

/** `you`: an item of the Work needs the person. Otherwise it waits for other people's answer or decision. */
export type WorkWait = "you" | "answer" | "decision"

type Shown = { readonly id: string; readonly status: string; readonly attention_question?: string | undefined }
type Known = { readonly wait: WorkWait; readonly words: string }

/** What each Work is waiting for, by its id. Computed once for each answer of the desk, and read by each row. */
const made = new WeakMap<
  Waiting["clarifications"],
  { readonly of: readonly unknown[]; readonly known: Map<string, Known> }
>()

function knownOf({ clarifications, approvals }: Waiting, myId: string): Map<string, Known> {
  const before = made.get(clarifications)
  if (before?.of[0] === approvals && before.of[1] === myId) return before.known
  const known = new Map<string, Known>()
  const add = (id: string, needsYou: boolean, wait: WorkWait, words: string) => {
    const other = known.get(id)
    if (other === undefined) known.set(id, { wait: needsYou ? "you" : wait, words })
    // An item that needs the person comes before items that wait for others.
    else if (needsYou && other.wait !== "you") known.set(id, { wait: "you", words })
    else if (other.wait !== "you" && other.wait !== wait) known.set(id, { ...other, wait: "decision" })
  }
  for (const entry of clarifications)
    add(entry.work.id, standingOf(entry, myId) === "waits", "answer", `Asked: ${entry.item.title}`)
  for (const entry of approvals)
    add(entry.work.id, standingOf(entry, myId) === "waits", "decision", `Approve: ${entry.item.summary}`)
  made.set(clarifications, { of: [approvals, myId], known })
  return known
}

/**
 * What a Work with the status `needs_you` is waiting for; undefined for any other status. In local mode every pending item needs the one person,
 * even before the items are known.
 */
export function useWorkWait({ id, status }: Shown): WorkWait | undefined {
  const session = useSession()
  const myId = session?.person.id ?? ""
  const wait = useWaiting(({ waiting }) => waiting && knownOf(waiting, myId).get(id)?.wait)
  if (status !== "needs_you") return undefined
  return wait ?? (session?.mode === "sign-in" ? "decision" : "you")
}

/** What a Work is waiting for, in words: "Asked: Which column matters most?". Undefined if it waits for nothing. */
export function useWaitWords({ id, status, attention_question: question }: Shown): string | undefined {
  const myId = useSession()?.person.id ?? ""
  const words = useWaiting(({ waiting }) => waiting && knownOf(waiting, myId).get(id)?.words)
  if (status !== "needs_you") return question
  return words ?? (question === undefined ? undefined : `Asked: ${question}`)
}
