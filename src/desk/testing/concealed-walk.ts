/** Walks over every address of a desk, and looks for concealed Work in what people get who do not see it. */
import { expect } from "vitest"
import { operations } from "../../contract/operations.ts"
import { fakeApproval } from "../watcher/testing/simulation.ts"
import {
  ask,
  CONCEALED,
  concealedApproval,
  concealedClarification,
  delegate,
  toldBy,
  type VisibilityDesk,
} from "./concealed-work.ts"
import type { Reply } from "./desk.ts"

export const OPEN = `${CONCEALED}-open`
const DONE = `${CONCEALED}-done`
export const APPROVAL = `${CONCEALED}-approval`
export const UPLOAD = `${CONCEALED}-upload`
export const SHOWN = "shown"

export const letter = (id: string, more: object = {}) =>
  fakeApproval(id, { destination: "desk@halden.example", ...more })

/** The Work that everybody sees. */
export async function delegateShown(desk: VisibilityDesk): Promise<void> {
  await delegate(desk, SHOWN, "organization", { approvals: [letter("waits")], created: 1_000 })
  await delegate(desk, "shown too", "organization", {
    status: "needs_you",
    clarificationId: "asks",
    clarifications: [],
    created: 2_000,
  })
}

/** Work of Ben that nobody but him and Dora sees: open with items, done with the same letter, and one that cannot be read. */
export async function delegateConcealed(desk: VisibilityDesk): Promise<void> {
  const json = {
    title: CONCEALED,
    objective: CONCEALED,
    colleague_id: CONCEALED,
    visibility_scope: "private",
    priority: "urgent",
  }
  const items = {
    approvals: [
      concealedApproval(APPROVAL),
      concealedApproval(`${APPROVAL}-2`, { destination: "desk@halden.example", status: "approved" }),
    ],
    clarifications: [concealedClarification(`${CONCEALED}-attention`)],
    clarificationId: `${CONCEALED}-attention`,
  }
  await delegate(desk, OPEN, "private", { ...items, status: "needs_you", json })
  await delegate(desk, `${CONCEALED}-broken`, "private", { json })
  desk.upstream.control.behave = (target) =>
    target.includes(`${CONCEALED}-broken/`) ? { status: 503, body: { ...BROKEN, detail: CONCEALED } } : undefined
  const letters = [letter(`${CONCEALED}-letter`, { status: "approved", resolved_at: "2026-11-20T10:00:00Z" })]
  await delegate(desk, DONE, "private", { json, status: "done", approvals: letters })
  const upload = await ask(desk, desk.people.Ben, "/api/v1/uploads", {
    method: "POST",
    body: { name: UPLOAD, content: "x" },
  })
  expect(upload.status).toBe(201)
}

export const BROKEN = {
  detail: "x",
  type: "x",
  title: "x",
  status: 503,
  instance: "x",
  code: "BROKEN",
  request_id: "x",
  retryable: true,
}

export const contentOf = ({ text }: Reply): Record<string, unknown> => JSON.parse(text)

/** Waits until the watcher has read everything. */
export async function gathered(desk: VisibilityDesk, works: number): Promise<void> {
  const { Ben, Dora } = desk.people
  await expect.poll(async () => contentOf(await ask(desk, Dora, "/desk/waiting"))).toMatchObject({ total: works })
  const context = `/desk/context?work=${SHOWN}&approval=waits`
  await expect.poll(async () => contentOf(await ask(desk, Ben, context))).toMatchObject({ destination: {} })
}

const PARAMETERS = [
  "",
  `?work=${OPEN}`,
  `?work=${OPEN}&approval=${APPROVAL}`,
  `?item=${APPROVAL}`,
  `?item=${UPLOAD}`,
  `?person=BEN`,
  "?operation=createWork",
  "?outcome=recorded",
  "?status=needs_you",
  `?colleague=${CONCEALED}`,
  `?q=${CONCEALED}`,
  "?priority=urgent",
  "?sort=waiting",
  "?group=colleague",
  "?group=priority",
  "?limit=1",
  "?zone=Europe/Oslo",
  "?by=me",
  "?new=1",
  "?created_from=2020-01-01T00:00:00Z",
  "?wait=0",
  `?return=/work/${OPEN}`,
]

/** A body that each address takes. */
function bodyOf(target: string, work: string, item: string): object {
  if (target.startsWith("/api/")) return { decision: "approve", response: "x" }
  const more = Object.entries(BODIES).find(([path]) => target.startsWith(path))?.[1]
  return more === undefined ? {} : { work, item, ...more }
}

const BODIES = {
  "/desk/presence": { tab: "t", doing: "reading" },
  "/desk/assignment": { to: null },
  "/desk/aside": { version: "1", until: null },
  "/desk/seen": { version: "1" },
}

/** The same id, written in other ways. */
const spellings = (id: string) => [id, id.replace("c", "%63"), id.replaceAll("-", "%2D"), id.toUpperCase()]

/**
 * Sends every operation and every address of the table with every parameter, for people who see the concealed Work and people who do not. The
 * latter get the same as for Work that is not there.
 */
export async function walkConcealed(desk: VisibilityDesk): Promise<void> {
  const { Ada, Ben, Cleo, Dora } = desk.people
  const foundBy = new Map<object, number>()
  /** The ids of an address: the concealed Work's, and those of a Work that is not there. */
  const fill = (path: string, ids: readonly string[]) => {
    let index = 0
    return path.replaceAll(/\{\w+\}/g, () => ids[index++] ?? "x")
  }
  const absent = "absent-6b1f-open"
  const requests = [
    ...Object.values(operations).flatMap(({ path, method }) => {
      const first = path.startsWith("/api/v1/uploads") ? UPLOAD : OPEN
      if (!path.includes("{")) return method === "GET" ? PARAMETERS.map((more) => [method, path + more]) : []
      return spellings(first).map((id) => [method, fill(path, [id, APPROVAL])])
    }),
    ...Object.keys(desk.routes).flatMap((address) => {
      const [method = "", path = ""] = address.split(" ")
      // Signing out would end the walk.
      if (path.startsWith("/desk/sign-") || path === "/desk/session/touch") return []
      const parameters = method === "GET" ? PARAMETERS : [""]
      return parameters.map((more) => [method, fill(path, [OPEN, APPROVAL]) + more])
    }),
  ]
  for (const [method = "", target = ""] of requests) {
    const body = method === "GET" ? undefined : bodyOf(target, OPEN, APPROVAL)
    for (const person of [Ada, Cleo, Ben, Dora]) {
      const isStream = target.endsWith("/events")
      const reply =
        isStream && (person === Ben || person === Dora) ? undefined : await ask(desk, person, target, { method, body })
      const told = JSON.stringify([reply?.rawHeaders, reply?.text.replaceAll(target, "")])
      if (told.includes(CONCEALED)) foundBy.set(person, (foundBy.get(person) ?? 0) + 1)
      if (person !== Ada && person !== Cleo) continue
      expect(told, `${method} ${target}`).not.toContain(CONCEALED)
      // A query alone filters, and an absent id there need not look the same.
      if (reply === undefined || (method === "GET" && (target.includes("?") || !target.includes("6b1f")))) continue
      const another = body && bodyOf(target, absent, absent)
      const other = await ask(desk, person, target.replace(/[^/?&=]*6b1f[^/?&]*/gi, absent), {
        method,
        body: another,
      })
      expect(toldBy(reply), `${method} ${target}`).toEqual(toldBy(other))
    }
  }
  // What somebody sees shows that the walk would find it.
  expect(foundBy.get(Ben)).toBeGreaterThan(20)
  expect(foundBy.get(Dora)).toBeGreaterThan(20)
  const lines = desk.logged.filter((line) => !line.includes('"message":"record"'))
  expect(lines.filter((line) => line.includes(CONCEALED))).toEqual([])
}
