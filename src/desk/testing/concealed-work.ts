/** What the tests of visibility share: an upstream that keeps Works and uploads, and a desk with teams, overseers and people. */
import type { Database } from "../store/database.ts"
import {
  answerFrom,
  fakeApproval,
  fakeClarification,
  fakeWork,
  problem,
  type FakeWork,
} from "../watcher/testing/simulation.ts"
import { readLimits } from "../http/desk-configuration.ts"
import { MUTATION, send, type Reply } from "./desk.ts"
import { startUpstream, type Answering, type TestUpstream } from "./upstreams.ts"
import { startSignInProxy, type PersonHeaders, type SignInProxy } from "./sign-in.ts"

/** Stands in every text and id of what is concealed. */
export const CONCEALED = "concealed-6b1f"

export const ACCESS = {
  contact: "the desk",
  roles: {
    reader: ["group:staff"],
    answerer: ["group:ops"],
    delegator: ["group:ops"],
    approver: ["group:finance"],
  },
  // Nobody is in the group cfo, so this approval makes nobody an approver of its Work.
  rules: [{ destination: "*@concealed.example", approvers: ["group:cfo"] }],
  visibility: {
    teams: [
      { name: "Finance", members: ["group:finance"] },
      { name: "Operations", members: ["group:ops"] },
    ],
    overseers: ["group:audit"],
  },
}

/** The groups of each person. */
export const GROUPS = {
  Ada: ["staff", "finance"],
  Ben: ["staff", "ops"],
  Cleo: ["staff"],
  Dora: ["staff", "audit"],
} as const satisfies Record<string, readonly string[]>

export type People = Readonly<Record<keyof typeof GROUPS, PersonHeaders>>

export type WorkUpstream = TestUpstream & {
  readonly works: FakeWork[]
  /** Each answers instead of the upstream, by the target. */
  readonly control: {
    /** How long the upstream takes for an answer. */
    delayMs: number
    behave: (target: string) => { status: number; body: unknown; headers?: Record<string, string> } | undefined
  }
}

/** An upstream that keeps what it is sent. The id of a new Work or upload is its title or name. */
export async function startWorkUpstream(): Promise<WorkUpstream> {
  const works: FakeWork[] = []
  const uploads = new Map<string, object>()
  const control: WorkUpstream["control"] = { delayMs: 0, behave: () => undefined }
  const json = (status: number, body: unknown) => ({ status, body })
  const post = (path: string, body: Record<string, unknown>) => {
    const [, , , kind, id = "", items, itemId] = path.split("/").map(decodeURIComponent)
    if (kind === "uploads" && id === "") {
      const upload = { id: String(body["name"]), name: body["name"], status: "ready" }
      uploads.set(upload.id, upload)
      return json(201, upload)
    }
    if (kind === "uploads") return uploads.has(id) ? json(202, uploads.get(id)) : problem(404, "NOT_FOUND")
    if (id === "") {
      const inputs: unknown = body["input_upload_ids"]
      if (Array.isArray(inputs) && inputs.some((input) => !uploads.has(String(input)))) return problem(404, "NOT_FOUND")
      const title = String(body["title"])
      const work = fakeWork(title, Date.now(), { json: { title, visibility_scope: body["visibility_scope"] } })
      works.push(work)
      return json(201, { id: title, title })
    }
    const work = works.find((each) => each.id === id)
    const list = items === "approvals" ? work?.approvals : work?.clarifications
    const item = list?.find((each) => Reflect.get(each, "id") === itemId)
    if (item === undefined) return problem(404, "NOT_FOUND")
    return json(200, { ...item, work_id: id, status: "resolved" })
  }
  const get = (url: string) => {
    const { pathname } = new URL(url, "http://upstream.test")
    const [, , , kind, id = "", items] = pathname.split("/").map(decodeURIComponent)
    if (kind === "uploads") return uploads.has(id) ? json(200, uploads.get(id)) : problem(404, "NOT_FOUND")
    if (id === "" && !url.includes("limit=")) return answerFrom(works, `${url}${url.includes("?") ? "&" : "?"}limit=50`)
    if (items === "artifacts" && works.some((work) => work.id === id))
      return json(200, { data: [{ id: `result of ${id}`, work_id: id }] })
    return answerFrom(works, url)
  }
  const answer: Answering = ({ method, url, body }, response) => {
    const [path = ""] = url.split("?", 1)
    const isStream = path.endsWith("/events")
    const parsed: Record<string, unknown> = body === "" ? {} : JSON.parse(body)
    const behaved = control.behave(url)
    const found = behaved ?? (method === "POST" ? post(path, parsed) : get(url))
    const type = found.status >= 400 ? "application/problem+json" : isStream ? "text/event-stream" : "application/json"
    response.writeHead(found.status, { "Content-Type": type, ...behaved?.headers })
    if (found.status < 400 && isStream) response.write(": open\n\n")
    else setTimeout(() => response.end(JSON.stringify(found.body)), control.delayMs)
  }
  return { ...(await startUpstream(answer)), works, control }
}

export type VisibilityDesk = SignInProxy & { readonly upstream: WorkUpstream; readonly people: People }

/** A desk of Ada, Ben, Cleo and Dora. */
export async function startVisibilityDesk(
  upstream: WorkUpstream,
  access: object = ACCESS,
  database?: Database,
): Promise<VisibilityDesk> {
  const proxy = await startSignInProxy(upstream.url, {
    // The walk sends more than a person may.
    limits: { ...readLimits({}), personRequestsPerMinute: 1_000_000 },
    people: { access, ...(database !== undefined && { database }) },
  })
  const signIn = (name: keyof typeof GROUPS) => proxy.signIn(name, GROUPS[name])
  const [Ada, Ben, Cleo, Dora] = await Promise.all([signIn("Ada"), signIn("Ben"), signIn("Cleo"), signIn("Dora")])
  return { ...proxy, upstream, people: { Ada, Ben, Cleo, Dora } }
}

let keys = 0

/** Sends a request as a person. */
export function ask(
  desk: VisibilityDesk,
  person: PersonHeaders,
  target: string,
  { method = "GET", body, headers = {} }: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const mutation = method === "GET" ? {} : { ...MUTATION, "Idempotency-Key": `key-${++keys}`, "If-Match": '"1"' }
  const text = body === undefined ? undefined : JSON.stringify(body)
  return send(desk.url, target, {
    method,
    headers: { ...person, ...mutation, ...headers },
    ...(text === undefined ? {} : { body: text }),
  })
}

/** Ben delegates a Work. Its title is its id. */
export async function delegate(
  desk: VisibilityDesk,
  title: string,
  scope: string,
  more: Partial<FakeWork> = {},
): Promise<void> {
  const body = { title, objective: title, colleague_id: "analyst", visibility_scope: scope }
  const reply = await ask(desk, desk.people.Ben, "/api/v1/work", { method: "POST", body })
  if (reply.status !== 201) throw new Error(reply.text)
  const work = desk.upstream.works.find(({ id }) => id === title)
  Object.assign(work ?? {}, more)
}

/** An approval whose Work it shows to nobody. */
export const concealedApproval = (id: string, more: object = {}) =>
  fakeApproval(id, { destination: `${CONCEALED}@concealed.example`, subject: CONCEALED, body: CONCEALED, ...more })

export const concealedClarification = (id: string) =>
  fakeClarification(id, { title: CONCEALED, what_happened: CONCEALED })

/** What an answer tells, without what differs between two requests. */
export function toldBy({ status, rawHeaders, text }: Reply): unknown {
  const headers = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !["Date", "Content-Length"].includes(name) ? [[name, rawHeaders[index + 1]]] : [],
  )
  return { status, headers, text: text.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "REQUEST") }
}
