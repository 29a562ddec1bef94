/** What a Work waits for, as far as the person sees it, from what waits across all Work. */
import { useSession } from "./session.ts"
import { standingOf, useWaiting, type Waiting } from "./waiting.ts"

/** `you`: an item of the Work needs the person. Else it waits for an answer or a decision of others. */
export type WorkWait = "you" | "answer" | "decision"

type Shown = { readonly id: string; readonly status: string; readonly attention_question?: string | undefined }
type Known = { readonly wait: WorkWait; readonly words: string }

/** What is known of each Work, by its id. Made once for each answer, and read by each row. */
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
    // What needs the person is said before what waits for others.
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
 * What a Work with the status `needs_you` waits for; undefined for another. In local mode everything that waits needs the one person, also before
 * it is known what it is.
 */
export function useWorkWait({ id, status }: Shown): WorkWait | undefined {
  const session = useSession()
  const myId = session?.person.id ?? ""
  const wait = useWaiting(({ waiting }) => waiting && knownOf(waiting, myId).get(id)?.wait)
  if (status !== "needs_you") return undefined
  return wait ?? (session?.mode === "sign-in" ? "decision" : "you")
}

/** The question or the approval that a Work waits for: "Asked: Which column matters most?". Undefined where it waits for nothing. */
export function useWaitWords({ id, status, attention_question: question }: Shown): string | undefined {
  const myId = useSession()?.person.id ?? ""
  const words = useWaiting(({ waiting }) => waiting && knownOf(waiting, myId).get(id)?.words)
  if (status !== "needs_you") return question
  return words ?? (question === undefined ? undefined : `Asked: ${question}`)
}
