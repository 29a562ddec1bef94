/**
 * Who sees a Work, and who may decide an item: every part of the desk gives the same answer. A part with an answer of its own differs here for
 * some person and some Work, because the access file uses every reason and every rule.
 */
import { expect, test } from "vitest"
import { MailServerForTest } from "./notices/testing/mail-server.ts"
import { fakeClarification, fakeWork } from "./watcher/testing/simulation.ts"
import { MUTATION, send } from "./testing/desk.ts"
import { readLimits } from "./http/desk-configuration.ts"
import { startWorkUpstream } from "./testing/concealed-work.ts"
import { approvalWork, mailTo, PUBLIC_URL, signInAndChoose } from "./testing/notices.ts"
import { type PersonHeaders, type SignInProxy, startSignInProxy } from "./testing/sign-in.ts"

const NO_LIMITS = { ...readLimits({}), personRequestsPerMinute: 1_000_000 }

const ACCESS = {
  roles: {
    reader: ["group:staff"],
    answerer: ["group:ops"],
    delegator: ["group:ops"],
    approver: ["group:finance", "email:gil@example.com"],
  },
  rules: [
    { destination: "*@bank.example", approvers: ["group:cfo", "email:gil@example.com"] },
    { colleague: "analyst*", preventSelfApproval: true },
  ],
  visibility: {
    teams: [
      { name: "Finance", members: ["group:finance"], colleagues: ["analyst*"] },
      { name: "Operations", members: ["group:ops"] },
    ],
    overseers: ["group:audit"],
  },
}

const GROUPS = {
  ada: ["staff", "finance"],
  ben: ["staff", "finance", "cfo"],
  cleo: ["staff"],
  dora: ["staff", "audit"],
  fay: ["staff", "ops"],
  gil: ["staff", "ops"],
  hal: ["staff", "ops", "finance", "cfo", "audit"],
}
type Name = keyof typeof GROUPS
const NAMES = Object.keys(GROUPS) as Name[]

const SCOPES = ["private", "team", "organization", "galaxy"]
const DESTINATIONS = ["pay@bank.example", "pay@(x)bank. example", "desk@halden.example"]
const COLLEAGUES = ["analyst", "editor"]
/** Who created the Work at this desk, if anybody did. */
const CREATORS = [undefined, "gil"] as const

/** A Work of each kind, with an approval or a clarification. */
function allWorks() {
  const kinds = SCOPES.flatMap((scope) => COLLEAGUES.map((colleague_id) => ({ visibility_scope: scope, colleague_id })))
  const made = kinds.flatMap((json) =>
    CREATORS.flatMap((creator) => {
      const name = `${json.visibility_scope}-${json.colleague_id}-${creator ?? "nobody"}`
      const approvals = DESTINATIONS.map((destination, index) => {
        const more = { destination, requested_by_colleague: json.colleague_id }
        return { creator, work: approvalWork(`${name}-${index}`, 10, more, { json }) }
      })
      const asks = { clarifications: [fakeClarification(`question_${name}`)], clarificationId: `question_${name}` }
      return [...approvals, { creator, work: fakeWork(`asks_${name}`, Date.now() - 600_000, { ...asks, json }) }]
    }),
  )
  return made.map(({ creator, work }) => {
    const items = [...work.approvals, ...work.clarifications].map((item) => String(Reflect.get(item, "id")))
    return { creator, work, item: items[0] ?? "", isApproval: work.approvals.length > 0 }
  })
}

/** The JSON of an answer; an empty object where the person does not get it. */
async function read(desk: SignInProxy, person: PersonHeaders, target: string): Promise<Record<string, unknown>> {
  const { status, text } = await send(desk.url, target, { headers: person })
  expect([200, 404], text).toContain(status)
  return status === 200 ? JSON.parse(text) : {}
}

const idsIn = (list: unknown) => new Set(Array.isArray(list) ? list.map(({ id }: { id: string }) => id) : [])

test(
  "every address and every mail gives the same answer to who sees a Work and who may decide",
  { timeout: 60_000 },
  async () => {
    const mail = await MailServerForTest.start()
    const works = allWorks()
    const upstream = await startWorkUpstream()
    const notices = [mailTo(mail.port)]
    const options = { notices, people: { access: ACCESS }, publicUrl: PUBLIC_URL, limits: NO_LIMITS }
    const desk = { ...(await startSignInProxy(upstream.url, options)), upstream }
    const people = new Map<Name, PersonHeaders>()
    for (const name of NAMES) people.set(name, await signInAndChoose(desk, name, GROUPS[name]))
    const headersOf = (name: Name) => people.get(name) ?? expect.unreachable(name)
    for (const { creator, work } of works.filter(({ creator }) => creator !== undefined)) {
      const headers = { ...headersOf(creator ?? "gil"), ...MUTATION, "Idempotency-Key": work.id }
      const body = JSON.stringify({ title: work.id, objective: "x", colleague_id: "x" })
      expect(await send(desk.url, "/api/v1/work", { method: "POST", headers, body })).toMatchObject({ status: 201 })
    }
    // Somebody who has just used the desk gets no mail.
    await desk.database.write("UPDATE record SET at = at - 200000")
    upstream.works.splice(0, upstream.works.length, ...works.map(({ work }) => work))
    const isGathered = async () => {
      const { total, complete } = await read(desk, headersOf("dora"), "/desk/waiting")
      return complete === true && total === works.length
    }
    await expect.poll(isGathered, { timeout: 30_000 }).toBe(true)

    const assignees = new Map<string, ReadonlySet<string>>()
    for (const { work, item } of works) {
      const { people: able } = await read(desk, headersOf("dora"), `/desk/people?work=${work.id}&item=${item}`)
      assignees.set(item, idsIn(able))
    }
    let seen = 0
    const able: string[] = []
    for (const name of NAMES) {
      const person = headersOf(name)
      const get = (target: string) => read(desk, person, target)
      const open = idsIn((await get("/desk/work?limit=500"))["data"])
      const { attention, approvals } = await get("/desk/waiting")
      const waiting = new Set(
        [attention, approvals].flat().map((each) => (each as { item?: { id: string } })?.item?.id),
      )
      const listed = new Set<string>()
      for (let target = "/api/v1/work?status=working&limit=100"; target !== "";) {
        const { data, next_cursor: next } = await get(target)
        for (const id of idsIn(data)) listed.add(id)
        target = typeof next === "string" ? `/api/v1/work?status=working&limit=100&cursor=${next}` : ""
      }
      const mayRole = await get("/desk/session")
      const operations = (mayRole["person"] as { operations?: readonly string[] } | null)?.operations ?? []
      for (const { work, item, isApproval } of works) {
        const place = `${name}, ${work.id}`
        const sees = "id" in (await get(`/api/v1/work/${work.id}`))
        const answers = {
          reason: "reason" in (await get(`/desk/work/${work.id}/reason`)),
          open: open.has(work.id),
          waiting: waiting.has(item),
          listed: listed.has(work.id),
        }
        expect(answers, place).toEqual({ reason: sees, open: sees, waiting: sees, listed: sees })
        const may = assignees.get(item)?.has(person["Desk-Person"]) === true
        if (isApproval) {
          const context = await get(`/desk/context?work=${work.id}&approval=${item}`)
          const { approve } = (context["may"] ?? {}) as { approve?: boolean }
          expect(approve === true && operations.includes("resolveWorkApproval"), place).toBe(may)
        }
        if (may) able.push(`${person["Desk-Person"]} ${item}`)
        seen += Number(sees)
      }
    }
    // A mail lists only the first items, so what is due to whom is read from the store.
    const notified = async () => {
      const rows = await desk.database.read("SELECT DISTINCT recipient, item_id FROM notice")
      return rows.map(({ recipient, item_id: item }) => `${String(recipient)} ${String(item)}`).sort()
    }
    await expect.poll(notified).toEqual(able.sort())
    const asked = works.length * NAMES.length
    for (const count of [seen, able.length]) {
      expect(count / asked).toBeGreaterThan(0.1)
      expect(count / asked).toBeLessThan(0.9)
    }
  },
)
