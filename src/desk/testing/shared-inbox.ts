/** A desk with people who share an inbox, over a service whose Works a test changes. */
import { randomUUID } from "node:crypto"
import type { ServerResponse } from "node:http"
import { expect } from "vitest"
import { answerFrom, type FakeWork, fakeApproval, fakeWork } from "../watcher/testing/simulation.ts"
import { readLimits } from "../http/desk-configuration.ts"
import { send } from "./desk.ts"
import { startUpstream } from "./upstreams.ts"
import { type PersonHeaders, startSignInProxy } from "./sign-in.ts"

const ACCESS = { roles: { reader: ["anyone"], approver: ["group:finance"] } }

export const OF_EVERYBODY = { visibility_scope: "organization" }

/** A desk in front of a service with this Work. An answer of the service comes after `mayAnswer`. */
export async function startDesk(
  works: readonly FakeWork[],
  more: object = {},
  mayAnswer: (url: string) => Promise<void> = () => Promise.resolve(),
) {
  const answer = (url: string, response: ServerResponse) => {
    const { status, body } = answerFrom(works, url)
    response.writeHead(status, { "Content-Type": "application/json" })
    response.end(JSON.stringify(body))
  }
  const upstream = await startUpstream(({ url }, response) => void mayAnswer(url).then(() => answer(url, response)))
  const proxy = await startSignInProxy(upstream.url, {
    people: { access: { ...ACCESS, ...more } },
    limits: { ...readLimits({}), personRequestsPerMinute: 30 },
  })
  const ada = await proxy.signIn("Ada", ["finance"])
  const ben = await proxy.signIn("Ben", ["finance"])
  const ask = (who: PersonHeaders, method: string, path: string, body?: object | "null", ifMatch?: string) =>
    send(proxy.url, path, {
      method,
      headers: {
        ...who,
        "Idempotency-Key": randomUUID(),
        ...(body && { "Content-Type": "application/json" }),
        ...(ifMatch && { "If-Match": ifMatch }),
      },
      ...(body && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    })
  const waiting = async (who: PersonHeaders, query = "", etag = "") => {
    const reply = await send(proxy.url, `/desk/waiting${query}`, { headers: { ...who, "If-None-Match": etag } })
    const content = reply.status === 200 ? JSON.parse(reply.text) : { approvals: [{}] }
    return { etag: String(reply.headers["etag"]), entry: content.approvals[0] ?? {}, complete: content.complete }
  }
  return { url: proxy.url, ask, waiting, signIn: proxy.signIn, ada, ben, database: proxy.database }
}

/** A desk with one letter that waits, in Work that the whole organization sees, and two people who may decide it. */
export async function startTeam(rules: readonly object[] = [], more: object = {}) {
  const work = fakeWork("w1", 1, { approvals: [fakeApproval("a1", { work_id: "w1" })], json: OF_EVERYBODY })
  const desk = await startDesk([work], { rules, ...more })
  await expect.poll(async () => (await desk.waiting(desk.ada)).complete).toBe(true)
  return desk
}

/** The letter of `startTeam`. */
export const item = { work: "w1", item: "a1" }
