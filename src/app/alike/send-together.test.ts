import { expect, test } from "vitest"
import { type Cause, causeOf, createTogether, type SendOutcome, type Turn } from "./send-together.ts"
import { DeskError } from "../client/desk-error.ts"

const REST = "The rest was not sent and stays chosen."

/** Follows a run as a card does, and lets the test say how each send ends. */
function follow(turns: Readonly<Record<string, Turn["kind"]>> = {}) {
  const together = createTogether()
  const sending = new Map<string, (outcome: SendOutcome) => void>()
  const left: string[] = []
  const arrivals = new Set<() => void>()
  const unfollow = together.store.subscribe(() => arrivals.forEach((each) => each()))
  const turnOf = (key: string): Turn => {
    const kind = turns[key] ?? "send"
    if (kind === "skip") return { kind }
    if (kind === "stop") return { kind, why: "The window is too narrow." }
    const send = () =>
      new Promise<SendOutcome>((resolve) => {
        left.push(key)
        sending.set(key, resolve)
        arrivals.forEach((each) => each())
      })
    return { kind, send }
  }
  /** Waits until the decision about `key` has left, and answers it. */
  const answer = async (key: string, cause?: Cause, isHeld = false) => {
    while (!sending.has(key)) await new Promise<void>((resolve) => arrivals.add(resolve))
    sending.get(key)?.({ cause, isHeld })
  }
  return { ...together, turnOf, answer, left, unfollow }
}

test("decisions leave one after the other", async () => {
  const { start, store, turnOf, answer, left } = follow()
  const done = start(["a", "b"], "approve", turnOf)
  expect(store.get().run).toMatchObject({ of: 2, sent: 0, current: undefined, rest: ["a", "b"] })
  await answer("a")
  await answer("b")
  await done
  expect(left).toEqual(["a", "b"])
  expect(store.get()).toEqual({ run: undefined, stopped: undefined, held: [] })
})

test("a second start during a run sends nothing", async () => {
  const { start, turnOf, answer, left } = follow()
  const done = start(["a"], "approve", turnOf)
  await start(["b"], "approve", turnOf)
  await answer("a")
  await done
  expect(left).toEqual(["a"])
})

test("a row that is no longer chosen at its turn is left out, and others follow", async () => {
  const { start, store, turnOf, answer, left } = follow({ b: "skip" })
  const done = start(["a", "b", "c"], "decline", turnOf)
  await answer("a")
  await answer("c", undefined, true)
  await done
  expect(left).toEqual(["a", "c"])
  expect(store.get()).toEqual({ run: undefined, stopped: undefined, held: ["c"] })
})

test("what the screen says at a turn stops the rest", async () => {
  const { start, store, turnOf, answer, left } = follow({ b: "stop" })
  const done = start(["a", "b", "c"], "approve", turnOf)
  await answer("a")
  await done
  expect(left).toEqual(["a"])
  expect(store.get().stopped).toBe(`The window is too narrow. ${REST}`)
})

test.each<[what: string, causes: (Cause | undefined)[], left: number]>([
  ["three failures in a row with the same cause stop the rest", ["quota", "quota", "quota"], 3],
  ["failures with different causes do not", ["quota", "away", "quota", "quota"], 5],
  ["refusals about the items do not", [undefined, undefined, undefined, undefined], 5],
  ["a success between the failures begins the count anew", ["away", "away", undefined, "away"], 5],
  ["three failures at the end leave no rest", [undefined, undefined, "away", "away", "away"], 5],
])("%s", async (_, causes, count) => {
  const { start, store, turnOf, answer, left } = follow()
  const keys = ["a", "b", "c", "d", "e"]
  const done = start(keys, "approve", turnOf)
  for (const [index, key] of keys.slice(0, count).entries()) await answer(key, causes[index])
  await done
  expect(left).toEqual(keys.slice(0, count))
  expect(store.get().stopped).toBe(count < 5 ? `Too many requests in a short time. ${REST}` : undefined)
})

test("Stop lets what has left end, and sends nothing more", async () => {
  const { start, store, stop, turnOf, answer, left } = follow()
  const done = start(["a", "b"], "approve", turnOf)
  await answer("a")
  stop()
  await done
  expect(left).toEqual(["a"])
  expect(store.get().stopped).toBe(`You stopped this. ${REST}`)
})

test("nothing leaves after the card has gone", async () => {
  const { start, turnOf, answer, left, unfollow } = follow()
  const done = start(["a", "b"], "approve", turnOf)
  await answer("a")
  unfollow()
  await done
  expect(left).toEqual(["a"])
})

test.each<[cause: Cause | undefined, error: Partial<ConstructorParameters<typeof DeskError>[0]>]>([
  ["session", { status: 401, code: "PROXY_SIGNED_OUT" }],
  ["role", { status: 403, code: "PROXY_ROLE_MISSING" }],
  ["freeze", { status: 403, code: "PROXY_FROZEN" }],
  ["quota", { status: 429, code: "RATE_LIMITED" }],
  ["away", { status: 503, code: "PROXY_DRAINING" }],
  ["away", { status: 502, code: "PROXY_UPSTREAM_UNREACHABLE" }],
  ["away", { kind: "unreachable" }],
  ["away", { kind: "timeout" }],
  ["storage", { kind: "unsent" }],
  [undefined, { status: 412, code: "PROXY_VERSION_STALE" }],
  [undefined, { status: 409, code: "CONFLICT" }],
  [undefined, { status: 403, code: "PROXY_RULE" }],
  [undefined, { status: 403, code: "PROXY_SIGN_IN_AGAIN" }],
  [undefined, { status: 404, code: "NOT_FOUND" }],
  [undefined, { status: 422, code: "BLOCKED" }],
])("the cause %s of an error %j", (cause, error) => {
  expect(causeOf(new DeskError({ kind: "problem", title: "No", detail: "No.", ...error }))).toBe(cause)
})
