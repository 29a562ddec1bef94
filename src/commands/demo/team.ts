/** What the demonstration's people have done with the same items: approved together, handed over, set aside. */
import { randomUUID } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
import * as v from "valibot"
import type { PersonHeaders } from "./sign-in.ts"

export type TeamPeople = { readonly ada: PersonHeaders; readonly ben: PersonHeaders; readonly emil: PersonHeaders }

const TIMEOUT_MS = 30_000
const POLL_MS = 100
const TWENTY_HOURS_MS = 20 * 3_600_000

const entry = v.object({
  work: v.object({ id: v.string(), title: v.string() }),
  item: v.object({ id: v.string(), version: v.number() }),
})
const waiting = v.object({ complete: v.boolean(), attention: v.array(entry), approvals: v.array(entry) })

/**
 * A letter that needs two approvals has one, a question is handed over with a note, and a letter is set aside. The titles are those of the
 * stories. @throws Error when the desk refuses
 */
export async function actAsTeam(deskUrl: string, { ada, ben, emil }: TeamPeople): Promise<void> {
  const { attention, approvals } = await readWaiting(deskUrl, ada)
  const letter = find(approvals, "Species sheet for the museum")
  await send(deskUrl, emil, "POST", `/api/v1/work/${letter.work}/approvals/${letter.item}/resolve`, letter.version, {
    decision: "approve",
  })
  const question = find(attention, "Tidy the handbook")
  await send(deskUrl, ben, "PUT", "/desk/assignment", "none", {
    work: question.work,
    item: question.item,
    to: { person: ada["Desk-Person"] },
    note: "You wrote the chapter on travel. Please answer this one.",
  })
  const later = find(approvals, "Everything we have, in one letter")
  const until = new Date(Date.now() + TWENTY_HOURS_MS).toISOString()
  await send(deskUrl, ada, "PUT", "/desk/aside", later.version, { ...later, until })
}

/** What waits, when the desk has read all open Work. */
async function readWaiting(deskUrl: string, headers: PersonHeaders): Promise<v.InferOutput<typeof waiting>> {
  for (const deadline = performance.now() + TIMEOUT_MS; ; await wait(POLL_MS)) {
    const answer = await fetch(new URL("/desk/waiting", deskUrl), { headers })
    const content = v.parse(waiting, await answer.json())
    if (content.complete) return content
    if (performance.now() > deadline) throw new Error("timed out while waiting for all that waits")
  }
}

function find(entries: readonly v.InferOutput<typeof entry>[], title: string) {
  const found = entries.find(({ work }) => work.title === title)
  if (found === undefined) throw new Error(`nothing waits in “${title}”`)
  return { work: found.work.id, item: found.item.id, version: String(found.item.version) }
}

async function send(
  deskUrl: string,
  headers: PersonHeaders,
  method: "POST" | "PUT",
  path: string,
  version: string,
  body: object,
): Promise<void> {
  const answer = await fetch(new URL(path, deskUrl), {
    method,
    headers: {
      ...headers,
      "Content-Type": "application/json",
      "Idempotency-Key": randomUUID(),
      "If-Match": `"${version}"`,
    },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
}
