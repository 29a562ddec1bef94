/** Random requests to every address of a desk, made of valid values and of hostile ones. */
import * as fc from "fast-check"
import { expect } from "vitest"
import { isProblem, PROBLEM_MEDIA_TYPE } from "../../contract/problem.ts"
import { operations } from "../../contract/operations.ts"
import type { Operation } from "../../contract/operation.ts"
import { readLimits } from "../http/desk-configuration.ts"
import type { Database } from "../store/database.ts"
import { search, type Search } from "../../platform/testing/search.ts"
import { HostileProvider } from "../people/testing/hostile-provider.ts"
import { MailServerForTest } from "../notices/testing/mail-server.ts"
import { fixedToken } from "../proxy/token.ts"
import { problem as serviceProblem } from "../watcher/testing/simulation.ts"
import { send, type Reply } from "./desk.ts"
import { type Heard, startUpstream } from "./upstreams.ts"
import { mailTo } from "./notices.ts"
import { newBrowserKeys } from "../notices/channels/push-receiver.ts"
import type { ServiceWithItems } from "./faulty-desk.ts"
import { pushForTest } from "./push.ts"
import { startSignInProxy, type PersonHeaders } from "./sign-in.ts"

/** A request that can be written as JSON, so that a failed case can be kept. `{work}`, `{question}` and `{person}` stand for ids of the desk. */
export type HostileRequest = {
  readonly address: string
  readonly ids: readonly string[]
  readonly query: readonly (readonly [string, string])[]
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The desk and its service work, so no request may get such a status. */
const FAILED = 500
/** More than any answer to the few Works of these desks. */
const ANSWER_MAX_BYTES = 1_048_576
/** The stream of a Work does not end by itself. */
const isEndless = (address: string) => address.endsWith("/events")

const ROLES = ["reader", "answerer", "delegator", "approver"]
/** The group `all` sees all Work, the group `some` does not. Both have every role. */
const ACCESS = {
  roles: Object.fromEntries(ROLES.map((role) => [role, ["group:all", "group:some"]])),
  visibility: { overseers: ["group:all"], teams: [{ name: "Finance", members: ["group:all"] }] },
  rules: [
    { destination: "*@example.com", approvalsNeeded: 2, decideWithin: "24h", remindBefore: "1h" },
    { colleague: "clerk", preventSelfApproval: true },
  ],
}

/** A desk with every address that a desk can have. */
export async function startHostileDesk(service: ServiceWithItems, database?: Database) {
  const [question, letter] = [await service.newQuestion(), await service.newLetter()]
  const front = await startDecodingFront(service.url)
  const mail = await MailServerForTest.start()
  const push = await pushForTest()
  const desk = await startSignInProxy(front.url, {
    people: { issuer: (await HostileProvider.start()).issuer, access: ACCESS, ...(database && { database }) },
    token: fixedToken(service.token),
    notices: [mailTo(mail.port), push.channel],
    limits: { ...readLimits({}), personRequestsPerMinute: 1e9, clientRequestsPerMinute: 1e9 },
  })
  const items = { work: question.work, question: question.item, other: letter.work, approval: letter.item }
  return { ...desk, front, items }
}

/**
 * A balancer between desk and service that decodes each path, as some do: an id with `%2F` names another address there. `broken` is an id; every
 * request about it fails.
 */
async function startDecodingFront(serviceUrl: string) {
  const heard: Heard[] = []
  const control: { broken: string | undefined } = { broken: undefined }
  const front = await startUpstream((request, response) => {
    const { method, url, headers, body } = request
    heard.push(request)
    if (control.broken !== undefined && url.includes(control.broken)) {
      const { status, body: problem } = serviceProblem(500, "BROKEN")
      return void response.writeHead(status, { "Content-Type": PROBLEM_MEDIA_TYPE }).end(JSON.stringify(problem))
    }
    const names = ["authorization", "content-type", "accept", "idempotency-key", "if-match"]
    const sent = Object.fromEntries(names.flatMap((name) => (name in headers ? [[name, String(headers[name])]] : [])))
    const passOn = async () => {
      const reply = await send(serviceUrl, decodePath(url), { method, headers: sent, ...(body !== "" && { body }) })
      const { "transfer-encoding": _, connection: __, ...passed } = reply.headers
      response.writeHead(reply.status, passed).end(reply.body)
    }
    return void passOn().catch(() => response.destroy())
  })
  return { url: front.url, heard, control }
}

/** Decodes the path of a target once, and writes again what no target may have. */
function decodePath(target: string): string {
  const [path = "", ...query] = target.split("?")
  return [encodeURI(decodeURIComponent(path)).replaceAll(/[?#]/g, encodeURIComponent), ...query].join("?")
}

const PATHS = Object.values(operations).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
}))

/** Checks what the service heard: operations of openapi.yaml, whose ids stay ids when somebody decodes the path, and bodies of JSON in UTF-8. */
function checkHeard({ method, url, headers, body }: Heard): void {
  const [path = ""] = url.split("?", 1)
  const named = PATHS.filter((each) => each.method === method && each.pattern.test(path))
  expect(named, `${method} ${url}`).toHaveLength(1)
  expect(decodePath(path), `${method} ${url}`).toMatch(named[0]?.pattern ?? "")
  if (body !== "") expect(headers["content-type"]).toBe("application/json")
}

export type HostileDesk = Awaited<ReturnType<typeof startHostileDesk>>

const TEXTS = [
  ["", "0", "1", "-1", "true", "null", "{work}", "{other}", "{question}", "{approval}", "{person}", '"{person}"'],
  ["none", '"none"', "*", '"1"', 'W/"1"', '"9223372036854775807"', "9223372036854775807", "9223372036854775808"],
  ["99999999999999999999", "1e400", "0x10", "٣", "NaN", "__proto__", "constructor", "toString", "a\0b", "\uD800", "%"],
  [
    "%00",
    "%2F",
    "..",
    ".",
    "/",
    "a/b",
    "\\",
    "?",
    "#",
    "\r\n",
    "\u202Ea",
    "e\u0301",
    "😀".repeat(300),
    "a".repeat(1_001),
  ],
  ["2026-11-28T10:00:00Z", "2099-01-01T00:00:00Z", "+275760-09-13T00:00:00Z", "0000-01-01T00:00:00Z"],
  ["9999-12-31T23:59:59.999999999999Z", "2026-02-30T00:00:00Z", "0001-01-01T00:00:00+23:59", "P1D"],
  ["Europe/Oslo", "approve", "decline", "reading", "left", "needs_you", "working", "done", "recorded", "waiting"],
  ["Finance", "analyst", "clerk", "organization", "urgent", "mine", "me", "colleague", "25", "100", "101"],
  ["https://a.push.example/x", "at-once", "22:00", "application/json", "text/csv", "//evil.example", "/work"],
].flat()
const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.integer({ min: -2, max: 2 ** 31 }).map(String) },
  { weight: 1, arbitrary: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()) },
)

/** Names of query parameters and headers that some address has. */
const QUERY = [
  ["work", "item", "approval", "person", "operation", "outcome", "limit", "cursor", "wait", "since", "colleague"],
  ["zone", "by", "created_from", "created_before", "status", "priority", "sort", "group", "q", "token", "return"],
  ["again", "state", "code", "iss", "error", "upstream", "new", "from", "to", "format"],
  Object.values(operations).flatMap(({ query }) => query),
].flat()
const HEADERS = [
  ["If-Match", "If-None-Match", "Idempotency-Key", "Desk-Approve", "Desk-Wants-Change", "Desk-Instead-Of", "Range"],
  [
    "Desk-Together",
    "Content-Type",
    "Accept",
    "Accept-Encoding",
    "Last-Event-ID",
    "Cache-Control",
    "traceparent",
    "X-Forwarded-For",
  ],
].flat()
/** Values that a header has its own meaning for. */
const OF_HEADER: Readonly<Record<string, readonly string[]>> = {
  "Desk-Approve": ["hold", "hold, hold", "Hold"],
  "Desk-Wants-Change": ["true", "true, true", "1"],
  "Desk-Together": ["6f0d5a0e-7f3c-4c37-9c66-0f4c1f0f3a11", "6F0D5A0E", "{work}"],
  "Content-Type": [
    "application/json; charset=utf-8",
    "application/json; charset=utf-16le",
    'application/json;charset="iso-8859-1"',
    "application/problem+json",
    "text/plain; charset=utf-8",
  ],
}
/** Ids that name another address where somebody decodes the path. */
const DECODED_IDS = ["{work}/attention", "{other}/approvals", "{other}\\approvals", "{work}/../{other}", "{other}/./"]
/** With most values of these headers, the guards refuse the request before any other code sees it. */
const GUARDED = ["Host", "Origin", "Sec-Fetch-Site", "Cookie", "Desk-Person", "Content-Encoding", "Expect"]
/** A valid body for each address. */
const BODY: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "POST /desk/presence": { work: "{work}", item: "{question}", tab: "tab", doing: "writing" },
  "PUT /desk/assignment": { work: "{work}", item: "{question}", to: { person: "{person}" }, note: "please" },
  "PUT /desk/aside": { work: "{other}", item: "{approval}", version: "1", until: "{soon}" },
  "PUT /desk/away": { from: "{now}", until: "{soon}", stand_in: null },
  "PUT /desk/freeze": { colleague: "analyst", reason: "it runs wild" },
  "PUT /desk/views": { views: [{ name: "Mine", query: "status=done" }] },
  "PUT /desk/notices": {
    mail: "at-once",
    urgent_at_once: true,
    quiet_from: "22:00",
    quiet_until: "06:00",
    time_zone: "Europe/Oslo",
    own_work: "steps",
    push: true,
  },
  "POST /desk/push": { endpoint: "https://a.push.example/x", keys: newBrowserKeys().keys, label: "Firefox on Linux" },
  "POST /api/v1/work": { colleague_id: "clerk", objective: "Do this", title: "Title", visibility_scope: "private" },
  "POST /api/v1/uploads": { name: "a.csv", media_type: "text/csv", content: "a,b\n1,2\n" },
  "POST /api/v1/work/{id}/approvals/{approval_id}/resolve": { decision: "approve", comment: "fine" },
  "POST /api/v1/work/{id}/attention/{attention_id}/resolve": { response: "the first" },
}
const MEMBERS = [
  ...Object.values(BODY).flatMap((body) => Object.keys(body)),
  "person",
  "team",
  "p256dh",
  "auth",
  "name",
  "page",
  "query",
  "id",
]

const member = fc.constantFrom(...MEMBERS)
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 6, arbitrary: text },
    { weight: 3, arbitrary: fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 2 ** 53, 1e300, [], {}) },
    { weight: 1, arbitrary: fc.array(tie("tree"), { maxLength: 3 }) },
    { weight: 2, arbitrary: fc.dictionary(member, tie("tree"), { maxKeys: 4 }) },
  ),
}))

/** Bodies with the members of the address, most of them with a valid value. */
function bodyFor(address: string, operation: Operation | undefined): fc.Arbitrary<string> {
  const members = Object.entries(BODY[address] ?? {}).map(([name, value]) => {
    const usual = fc.constant(value)
    return [name, fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: tree })] as const
  })
  const usual = fc.record<Record<string, unknown>>(Object.fromEntries(members))
  const others =
    operation?.body === undefined ? fc.dictionary(member, tree, { maxKeys: 2 }) : fromSchema(operation.body)
  const written = fc
    .tuple(usual, fc.option(others, { freq: 2 }))
    .map(([one, more]) => JSON.stringify({ ...one, ...(isObject(more) && more) }))
  return fc.oneof(
    { weight: 10, arbitrary: written },
    { weight: 1, arbitrary: tree.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.tuple(written, fc.nat(20)).map(([json, cut]) => json.slice(0, -cut)) },
    // A member twice, numbers that no double holds, and texts that end in half a character.
    { weight: 1, arbitrary: written.map((json) => json.replace("{", '{"work":1e999,"work":"","\\ud800":"\\u0000",')) },
    { weight: 1, arbitrary: fc.constantFrom("", "null", "[".repeat(10_000), `{"a":${"9".repeat(5_000)}}`, "\uFEFF{}") },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 30 }) },
  )
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Values for a schema of openapi.yaml, among them values that break the schema. */
function fromSchema(schema: Readonly<Record<string, unknown>>): fc.Arbitrary<unknown> {
  const { properties, type, items, enum: choices } = schema
  if (Array.isArray(choices)) return fc.oneof({ weight: 4, arbitrary: fc.constantFrom<unknown>(...choices) }, tree)
  if (isObject(properties)) {
    const members = Object.entries(properties).map(([name, value]) => [
      name,
      isObject(value) ? fromSchema(value) : tree,
    ])
    return fc.record<Record<string, unknown>>(Object.fromEntries(members), { requiredKeys: [] })
  }
  if (type === "array" && isObject(items)) return fc.oneof(fc.array(fromSchema(items), { maxLength: 5 }), tree)
  if (type === "string") return fc.oneof({ weight: 6, arbitrary: text }, tree)
  return tree
}

const fieldOf = (name: string): fc.Arbitrary<readonly [string, string]> =>
  fc.tuple(fc.constant(name), fc.oneof(text, fc.constantFrom(...(OF_HEADER[name] ?? TEXTS))))

/** A request to one of the addresses. */
function requestTo(addresses: readonly string[]): fc.Arbitrary<HostileRequest> {
  return fc.constantFrom(...addresses).chain((address) => {
    const [method = "", path = ""] = address.split(" ")
    const operation = Object.values(operations).find((each) => each.method === method && each.path === path)
    const count = path.match(/\{/g)?.length ?? 0
    const pair = fc.constantFrom(["{work}", "{question}"], ["{other}", "{approval}"], ["{person}", "{person}"])
    const id = fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom(...DECODED_IDS) })
    const others = fc.array(id, { minLength: count, maxLength: count })
    const headersFrom = (names: readonly string[]) =>
      fc.array(fc.constantFrom(...names).chain(fieldOf), { maxLength: 3 }).map((fields) => Object.fromEntries(fields))
    return fc.record({
      address: fc.constant(address),
      ids: fc.oneof({ weight: 4, arbitrary: pair.map((ids) => ids.slice(0, count)) }, others),
      query: fc.array(fc.tuple(fc.constantFrom(...QUERY), text), { maxLength: 4 }),
      headers: fc.oneof(
        { weight: 6, arbitrary: fc.constant({}) },
        { weight: 6, arbitrary: headersFrom(HEADERS) },
        { weight: 1, arbitrary: headersFrom([...HEADERS, ...GUARDED]) },
      ),
      body: method === "GET" ? fc.constant("") : bodyFor(address, operation),
    })
  })
}

/** Every address of the desk. One with a body can fail in more ways, so it is tried more often. */
const addressesOf = (desk: HostileDesk) =>
  [...Object.keys(desk.routes), ...Object.values(operations).map(({ method, path }) => `${method} ${path}`)]
    .filter((address) => !isEndless(address))
    .flatMap((address) => Array<string>(address in BODY ? 4 : 1).fill(address))

/** Sends requests until one fails. */
export async function searchHostileRequests(desk: HostileDesk, options: Search<HostileRequest>): Promise<void> {
  let count = 0
  await search(requestTo(addressesOf(desk)), options, async (request) => {
    // Each person may write sixty times a minute.
    const person = await desk.signIn(`Person ${count++}`, ["all"])
    const before = desk.logged.length
    const reply = await sendHostile(desk, person, request)
    await expect.poll(() => linesOf(desk, before, "request"), { interval: 1 }).toHaveLength(1)
    checkReply(reply, linesOf(desk, before, "request")[0] ?? {})
    if (request.address in BODY && reply.status < 400)
      expect(request.headers["Content-Type"] ?? "application/json").toMatch(JSON_IN_UTF_8)
    if (isMutation(request.address) && hasUnknownRestriction(request)) expect(reply.status).toBeGreaterThanOrEqual(400)
    for (const heard of desk.front.heard.splice(0)) checkHeard(heard)
    for (const [address, statuses] of OWN_READS) {
      const read = await send(desk.url, address, { headers: person })
      expect(statuses, `${address}: ${read.text}`).toContain(read.status)
    }
  })
}

const isMutation = (address: string) => / \/api\/v1\//.test(address) && !address.startsWith("GET ")

/** Headers that restrict what a mutation may do, each with its only value. A request with another value must not be sent without the restriction. */
const RESTRICTIONS = { "Desk-Approve": "hold", "Desk-Wants-Change": "true" }
const hasUnknownRestriction = ({ headers }: HostileRequest) =>
  Object.entries(RESTRICTIONS).some(([name, value]) => headers[name] !== undefined && headers[name] !== value)

const JSON_IN_UTF_8 = /^application\/json(; charset="?utf-8"?)?$/i

/**
 * A request about Work that is concealed from the person. `isDone`: the Work is done, so the desk reads it again for each request. `isBroken`: the
 * service fails at every request about this Work.
 */
export type ConcealedRequest = {
  readonly request: HostileRequest
  readonly isDone: boolean
  readonly isBroken: boolean
}

/** Looks for a request that answers differently about concealed Work than about Work that does not exist. */
export async function searchConcealedWork(desk: HostileDesk, options: Search<ConcealedRequest>): Promise<void> {
  const creator = await desk.signIn("Creator", ["all"])
  const delegate = async (colleague_id: string): Promise<string> => {
    const headers = { ...creator, "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() }
    // The courier delivers what the last line lists: nothing. Then its Work is done.
    const body = JSON.stringify({ colleague_id, objective: "Do this\n[]", visibility_scope: "private" })
    const created = await send(desk.url, "/api/v1/work", { method: "POST", headers, body })
    const { id }: { id: string } = JSON.parse(created.text)
    return id
  }
  const [open, done] = [await delegate("clerk"), await delegate("courier")]
  const readDone = () => send(desk.url, `/api/v1/work/${done}`, { headers: creator })
  await expect.poll(async () => (await readDone()).text).toContain('"status":"done"')
  const question = async () => {
    const reply = await send(desk.url, "/desk/waiting", { headers: creator })
    const { attention, complete }: WaitingAnswer = JSON.parse(reply.text)
    return complete ? attention.find((entry) => entry.work.id === open)?.item.id : undefined
  }
  await expect.poll(question).toBeDefined()
  const item = (await question()) ?? expect.unreachable()
  let count = 0
  const signIn = () => desk.signIn(`Person ${count++}`, ["some"])
  const idsOf = (work: string, question: string) => ({ work, question, other: work, approval: question })
  const answerAbout = async (
    people: readonly PersonHeaders[],
    at: 0 | 1,
    asked: HostileRequest,
    ids: ReturnType<typeof idsOf>,
  ) => {
    const person = people[at] ?? expect.unreachable()
    const { "Idempotency-Key": key, ...headers } = asked.headers
    // A key that another person has used is refused in any case.
    const request = {
      ...asked,
      headers: { ...headers, ...(key !== undefined && { "Idempotency-Key": `${key}-${at}` }) },
    }
    const { status, text } = await sendHostile(desk, person, request, ids)
    const own = [ids.work, ids.question, ...people.map((each) => each["Desk-Person"])]
    return `${status} ${own.reduce((all, id) => all.replaceAll(id, "ID"), text).replaceAll(OF_ONE_REQUEST, "ID")}`
  }
  const withItems = fc.record({
    request: requestTo(addressesOf(desk).filter(isAboutWork)),
    isDone: fc.boolean(),
    isBroken: fc.boolean(),
  })
  await search(withItems, options, async ({ request, isDone, isBroken }) => {
    const work = isDone ? done : open
    desk.front.control.broken = isBroken ? work : undefined
    const people = [await signIn(), await signIn()]
    const concealed = await answerAbout(people, 0, request, idsOf(work, item))
    expect(concealed).toBe(await answerAbout(people, 1, request, idsOf(unknownAs(work), unknownAs(item))))
  })
  desk.front.control.broken = undefined
}

/** Ids, names and times that differ between two equal requests of two people. */
const OF_ONE_REQUEST =
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\b[a-z]+_[\da-f]{24}\b|Person \d+|\d{4}-\d\d-\d\dT[\d:.]+Z/g

type WaitingAnswer = {
  readonly complete: boolean
  readonly attention: readonly { readonly work: { readonly id: string }; readonly item: { readonly id: string } }[]
}

/** Addresses that can name Work. */
const isAboutWork = (address: string) =>
  /work|approval|attention|presence|assignment|aside|people|context|seen|delegated|record/.test(address)

/** An id of the same form that nothing has. */
const unknownAs = (id: string) => id.replaceAll(/\w(?=\w{3}$)/g, (character) => (character === "0" ? "1" : "0"))

/** Reads that still succeed after each request, unless the request signed the person out. */
const OWN_READS: readonly (readonly [string, readonly number[]])[] = [
  ["/desk/waiting", [200, 401]],
  ["/desk/record?limit=5", [200, 401]],
]

type Line = {
  readonly message?: string
  readonly request_id?: string
  readonly upstream_request_id?: string
  readonly status?: number
}

const linesOf = ({ logged }: HostileDesk, from: number, message: string): Line[] =>
  logged.slice(from).flatMap((text) => {
    const line: Line = JSON.parse(text)
    return line.message === message ? [line] : []
  })

function sendHostile(
  desk: HostileDesk,
  person: PersonHeaders,
  request: HostileRequest,
  items = desk.items,
): Promise<Reply> {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString()
  const names = { ...items, person: person["Desk-Person"], now: at(0), soon: at(3_600_000) }
  const fill = (written: string) =>
    Object.entries(names).reduce((filled, [name, id]) => filled.replaceAll(`{${name}}`, id), written)
  const [method = "", path = ""] = request.address.split(" ")
  let index = 0
  const target = path.replaceAll(/\{\w+\}/g, () => escapeTarget(fill(request.ids[index++] ?? "")))
  const query = request.query.map(([name, value]) => `${name}=${escapeTarget(fill(value))}`).join("&")
  const usual = {
    ...person,
    "Content-Type": "application/json",
    "Idempotency-Key": crypto.randomUUID(),
    "If-Match": path.startsWith("/api/") ? '"1"' : path === "/desk/notices" ? '"0"' : '"none"',
  }
  const own = Object.entries(request.headers).map(([name, value]) => [name, escapeHeader(fill(value))])
  const headers = { ...(method === "GET" ? person : usual), ...Object.fromEntries(own) }
  const body = method === "GET" ? undefined : Buffer.from(fill(request.body))
  return send(desk.url, query === "" ? target : `${target}?${query}`, { method, headers, ...(body && { body }) })
}

/** Node sends no other characters in a target. A `%` that begins no escape stays, because the desk must refuse it. */
const escapeTarget = (written: string) =>
  written.toWellFormed().replaceAll(/[^!$%'()*+,\-./0-9:;=@A-Z_a-z~]/gu, (character) => encodeURIComponent(character))

/** Node sends no other characters in a header. */
const escapeHeader = (written: string) => written.replaceAll(/[^\t\x20-\x7E\x80-\xFF]/g, "?")

function checkReply({ status, headers, text: body }: Reply, line: Line): void {
  expect(status, body).toBeLessThan(FAILED)
  expect(body.length).toBeLessThan(ANSWER_MAX_BYTES)
  expect(line).toMatchObject({ status, request_id: expect.stringMatching(/^[\da-f-]{36}$/) })
  if (status < 400) return
  if (String(headers["content-type"]).startsWith("text/html")) return expect(body).toContain(line.request_id)
  expect(headers["content-type"]).toBe(PROBLEM_MEDIA_TYPE)
  const problem: unknown = JSON.parse(body)
  expect(isProblem(problem), body).toBe(true)
  // A refusal of the service has the service's id, and the line has both.
  const request_id = expect.toBeOneOf([line.request_id, line.upstream_request_id])
  expect(problem).toMatchObject({ status, request_id })
}
