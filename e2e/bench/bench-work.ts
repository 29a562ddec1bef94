/** Delegates, answers and approves Work for a benchmark, at the desk or at the embedded service itself. */
import { setTimeout as sleep } from "node:timers/promises"
import { call, listOf, newKey, textOf } from "../../src/service/testing/client.ts"
import type { Answer } from "../../src/service/testing/client.ts"

const POLL_MS = 20

/** Where Work is delegated. The desk needs no token. */
export type Address = { readonly base: string; readonly token?: string }

export type WorkInput = { readonly colleague: string; readonly mediaType: string; readonly content: string }

/** Uploads an input, delegates a Work with that input, and gives the Work's id. */
export async function delegate(to: Address, { colleague, mediaType, content }: WorkInput): Promise<string> {
  const upload = await post(to, "/api/v1/uploads", { name: "input", media_type: mediaType, content })
  const input_upload_ids = [textOf(upload.body, "id")]
  const work = await post(to, "/api/v1/work", { colleague_id: colleague, objective: "Work on this", input_upload_ids })
  return textOf(work.body, "id")
}

/** Waits until a Work asks a clarification, and answers. */
export async function answer(to: Address, work: string, response: string): Promise<void> {
  await resolveFirst(to, `/api/v1/work/${work}/attention`, { response })
}

/** Waits until a Work asks for an approval, and approves. */
export async function approve(to: Address, work: string): Promise<void> {
  await resolveFirst(to, `/api/v1/work/${work}/approvals`, { decision: "approve" })
}

export async function untilDone(to: Address, work: string): Promise<void> {
  while (textOf((await get(to, `/api/v1/work/${work}`)).body, "status") !== "done") await sleep(POLL_MS)
}

export async function get({ base, token }: Address, path: string): Promise<Answer> {
  return call(base, "GET", path, token === undefined ? {} : { token })
}

async function resolveFirst(to: Address, list: string, body: unknown): Promise<void> {
  for (;;) {
    const [item] = listOf((await get(to, list)).body)
    if (item !== undefined) {
      await post(to, `${list}/${textOf(item, "id")}/resolve`, body, '"1"')
      return
    }
    await sleep(POLL_MS)
  }
}

async function post({ base, token }: Address, path: string, body: unknown, ifMatch?: string): Promise<Answer> {
  const answer = await call(base, "POST", path, {
    key: newKey(),
    body,
    ...(token === undefined ? {} : { token }),
    ...(ifMatch === undefined ? {} : { ifMatch }),
  })
  if (answer.status > 299) throw new Error(answer.text)
  return answer
}
