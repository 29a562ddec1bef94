/** Desks whose people share one approval, for tests of presence, assignment and set aside. */
import { onTestFinished } from "vitest"
import { answerOf } from "../../../platform/http/testing/answer-of.ts"
import { Refused } from "../../../platform/http/send.ts"
import { type Access, parseAccess } from "../../people/access-file.ts"
import { Directory } from "../../people/directory.ts"
import type { Session } from "../../people/people-interface.ts"
import { DeskRecord } from "../../record/desk-record.ts"
import { sessionOf } from "../../record/testing/deciding.ts"
import type { Database } from "../../store/database.ts"
import type { StoreConfiguration } from "../../store/open-store.ts"
import { databaseForTest, sqliteForTest } from "../../store/testing/stores.ts"
import { itemUnknown } from "../claim-refusals.ts"
import { ClaimRequests } from "../claim-requests.ts"
import { Claims, type ClaimableItem } from "../claims.ts"
import { type ListedApproval, readApprovalList, readWorkPage } from "../../watcher/read-resources.ts"
import { fakeApproval, fakeWork, workJson } from "../../watcher/testing/simulation.ts"

export const HOUR = 3_600_000
export const ACCESS = {
  roles: { reader: ["anyone"], approver: ["group:finance"] },
  visibility: {
    teams: [
      { name: "Finance", members: ["group:finance"] },
      { name: "Nobody", members: ["group:none"] },
    ],
  },
}
export const ada = sessionOf("Ada", { groups: ["finance"] })
export const ben = sessionOf("Ben", { groups: ["finance"] })
export const cleo = sessionOf("Cleo", { groups: [] })

export const inAnHour = () => new Date(Date.now() + HOUR).toISOString()

async function saveSignIn(database: Database, { person, identity }: Session): Promise<void> {
  await database.write(
    "INSERT INTO person (id, issuer, subject, name, email, member_groups, signed_in_at) VALUES (?, ?, ?, ?, NULL, ?, ?)",
    person.id,
    identity.issuer,
    identity.subject,
    person.name,
    JSON.stringify(identity.groups),
    Date.now(),
  )
}

/** A desk's claims, with one approval that waits. `item` may be replaced. */
function openTeam(
  database: Database,
  file: object = ACCESS,
  mode: "local" | "sign-in" = "sign-in",
  changed: () => void = () => undefined,
) {
  const access: Access = parseAccess(JSON.stringify(file))
  const record = new DeskRecord({
    database,
    mode,
    access: () => access,
    onStored: () => undefined,
    onFailed: () => undefined,
    onHead: () => undefined,
  })
  onTestFinished(() => record.stop())
  const [work] = readWorkPage(JSON.stringify({ data: [workJson(fakeWork("w", 0))] })).works
  if (work === undefined) throw new Error("there is a Work")
  const [item] = readApprovalList(
    JSON.stringify({ data: [fakeApproval("a", { created_at: new Date().toISOString() })] }),
  )
  if (item === undefined) throw new Error("there is an approval")
  const desk = { found: makeItem(work, item) }
  const claims = new Claims({
    mode,
    database,
    directory: new Directory(database, "https://login.example"),
    record,
    access: () => access,
    isWatched: () => true,
    changed,
  })
  const requests = new ClaimRequests(claims, async (_, workId, itemId) => {
    if (workId !== "w" || itemId !== desk.found.item.id) throw new Refused(itemUnknown)
    return desk.found
  })
  onTestFinished(() => claims.stop())
  const send = (value: object) => Buffer.from(JSON.stringify(value))
  return {
    claims,
    requests,
    record,
    desk,
    give: (session: Session, to: object | null, etag: string | undefined, note?: string) =>
      answerOf(
        requests.assign(
          session,
          send({ work: "w", item: "a", to, ...(note === undefined ? {} : { note }) }),
          etag,
          "request-1",
        ),
      ),
    aside: (session: Session, until: string | null, version = "1") =>
      answerOf(requests.setAside(session, send({ work: "w", item: "a", version, until }))),
    look: (session: Session, doing: string, tab = "tab-1") =>
      answerOf(requests.report(session, send({ work: "w", item: "a", tab, doing }))),
    members: (session: Session): Record<string, unknown> =>
      JSON.parse(`{${claims.members(session.person.id, desk.found).slice(1)}}`),
  }
}

export function makeItem(work: ClaimableItem["work"], item: ListedApproval): ClaimableItem {
  const facts = {
    scope: "organization",
    colleague: "analyst",
    creators: new Map(),
    deciders: new Set<string>(),
    pending: [{ destination: item.destination, colleague: item.colleague }],
    isUnsettled: false,
  }
  return { work, item, facts: () => facts, firstCreatedAt: item.createdAt }
}

/** Two desks that share a store. On SQLite, which no desks share, they are one. */
export async function twoDesks(configuration: StoreConfiguration) {
  const database = await databaseForTest(configuration)
  for (const session of [ada, ben, cleo]) await saveSignIn(database, session)
  const first = openTeam(database)
  // Several desks share a PostgreSQL only.
  const second = database.isShared ? openTeam(await databaseForTest(configuration)) : first
  await first.claims.load()
  await second.claims.load()
  return { first, second, database }
}

/** One desk on SQLite. */
export async function oneDesk(
  file: object = ACCESS,
  mode: "local" | "sign-in" = "sign-in",
  changed: () => void = () => undefined,
) {
  const database = await sqliteForTest()
  for (const session of [ada, ben, cleo]) await saveSignIn(database, session)
  const first = openTeam(database, file, mode, changed)
  await first.claims.load()
  return { first }
}
