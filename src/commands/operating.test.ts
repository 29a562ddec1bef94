/** Runs each command of docs/operating.md on the store of a desk. */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { Sessions } from "../desk/people/sessions.ts"
import { startUpstream } from "../desk/testing/upstreams.ts"
import { approval, creation, DecidingDesk, sessionOf, success } from "../desk/record/testing/deciding.ts"
import { readHead } from "../desk/record/hash-chain.ts"
import { formatHeadText } from "../desk/record/heads/head-note.ts"
import { openRecordKey, readKey, readKeyPlace } from "../desk/record/heads/record-key.ts"
import { signNote } from "../desk/record/heads/signed-note.ts"
import { databaseForTest, folderForTest } from "../desk/store/testing/stores.ts"
import { runCommand } from "./testing/run-command.ts"

const NAMES = ["access", "backup", "people", "restore", "record"] as const
type CommandName = (typeof NAMES)[number]
const isName = (name: string): name is CommandName => NAMES.some((known) => known === name)

test("each command of the manual works as it is written there", async () => {
  const manual = await readFile(join(import.meta.dirname, "../../docs/operating.md"), "utf8")
  const blocks = [...manual.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = ""]) => block.split("\n"))
  const commands = blocks.flatMap((line) => {
    // Without the file that a shell writes the output to, and the comment.
    const [, name = "", rest = ""] = /^npm run (?:--silent )?(\w+) -- (.*?)(?:\s+>\s+\S+)?(?:\s+#.*)?$/.exec(line) ?? []
    return isName(name) ? [[name, ...rest.trim().split(/\s+/)] as const] : []
  })
  expect(new Set(commands.map(([name]) => name))).toEqual(new Set(NAMES))

  const [dataFolder, other] = [await folderForTest(), await folderForTest()]
  const database = await databaseForTest({ dataFolder, databaseUrl: undefined })
  const desk = new DecidingDesk(database)
  await desk.send(sessionOf("Ada"), creation(), success({ id: "work_1" }, { status: 201 }))
  const person = { name: "Ben", identity: { issuer: "https://login.example", subject: "ben-2", groups: ["finance"] } }
  const sessions = new Sessions(
    database,
    { issuer: "https://login.example", idleMs: 3_600_000, maxMs: 3_600_000 },
    () => true,
  )
  const { personId } = await sessions.begin({ ...person, sid: undefined, authTime: undefined }, [])
  sessions.stop()
  const [last] = await database.read("SELECT sequence, hash FROM record ORDER BY sequence DESC LIMIT 1")
  const place = readKeyPlace({}, { dataFolder, databaseUrl: undefined })
  await openRecordKey(database, place, "desk.example")
  const text = formatHeadText("desk.example", await readHead(database), Date.now())
  const heads = join(other, "heads")
  await writeFile(heads, signNote(text, "desk.example", await readKey(database, place)))
  const accessFile = join(other, "access.json")
  await writeFile(accessFile, '{"roles":{"approver":["group:finance"]}}')
  await mkdir(join(dataFolder, "service"), { recursive: true })
  const upstream = await startUpstream(({ url }, response) => {
    const isList = url.endsWith("/approvals")
    response.writeHead(200, { "Content-Type": "application/json" })
    response.end(JSON.stringify(isList ? { data: [approval()] } : { id: "work_1", visibility_scope: "team" }))
  })
  const environment = {
    DATA_DIR: dataFolder,
    OIDC_ISSUER: "https://login.example",
    OIDC_CLIENT_ID: "desk",
    PUBLIC_URL: "https://desk.example",
    ACCESS_FILE: accessFile,
    WORK_API_URL: upstream.url,
    WORK_API_TOKEN: "token-of-the-test",
  }
  const values: Readonly<Record<string, string>> = {
    PERSON: personId,
    WORK: "work_1",
    APPROVAL: "approval_1",
    FILE: join(other, "archive.jsonl"),
    HEADS: heads,
    FOLDER: join(other, "backup"),
    "SEQUENCE:HASH": `${String(last?.["sequence"])}:${String(last?.["hash"])}`,
    "2026-01-01": "2999-01-01",
    "/etc/workdesk/access.json": accessFile,
  }
  // Forgetting ends what the others ask about, and restoring needs an empty folder.
  const later = ([name, command]: readonly [string, ...string[]]) => Number(name === "restore" || command === "forget")
  for (const [name, ...args] of commands.toSorted((one, another) => later(one) - later(another))) {
    const given = args.map((arg) => values[arg] ?? arg)
    const folder = name === "restore" ? { DATA_DIR: join(other, "restored") } : {}
    const { code, stderr } = await runCommand(name, { ...environment, ...folder }, given)
    expect([name, ...args, code, stderr]).toEqual([name, ...args, 0, ""])
  }
}, 60_000)
