/** Writes docs/reference.md from the code: `npx vitest run src/reference.test.ts -u`. Without `-u` it fails if the document differs. */
import { join } from "node:path"
import { expect, it } from "vitest"
import { ABSENCE_MAX_MS, NOTE_MAX_CHARACTERS } from "./contract/desk-people.ts"
import { REPORT_DAYS_MAX } from "./contract/desk-work.ts"
import {
  BODY_MAX_BYTES,
  COMMENT_MAX_CHARACTERS,
  EXECUTION_LIMIT_MAX_SECONDS,
  INPUTS_MAX,
  ITEM_TEXT_MAX_BYTES,
  OBJECTIVE_MAX_CHARACTERS,
  RESPONSE_MAX_CHARACTERS,
  TITLE_MAX_CHARACTERS,
  UPLOAD_MAX_BYTES,
  WORK_PAGE_MAX,
} from "./contract/limits.ts"
import { operations } from "./contract/operations.ts"
import { roleFor } from "./contract/roles.ts"
import type { DeskRoutes } from "./desk/http/routes/desk-routes.ts"
import { deskWithPush } from "./desk/testing/push.ts"
import { VARIABLES } from "./desk/known-variables.ts"
import { DESK_WRITES, PRESENCE_REPORTS, RECORD_REPORTS, SEEN_REPORTS, STREAMS_MAX } from "./desk/http/request-limits.ts"
import { readLimits } from "./desk/http/desk-configuration.ts"
import { SEEN_WORK_MAX } from "./desk/insight/seen-store.ts"
import { DEVICES_MAX } from "./desk/notices/channels/push-devices.ts"
import { CLOCK_TOLERANCE_SECONDS, PROVIDER_SECONDS } from "./desk/people/provider/provider.ts"
import { PENDING_MAX, PENDING_SECONDS } from "./desk/people/pending-sign-in.ts"
import { EVENT_MAX_BYTES } from "./desk/proxy/event-reader.ts"
import { REPORTS_MAX } from "./desk/record/report/report-slots.ts"
import { TIMEOUTS } from "./desk/proxy/upstream.ts"
import { FOLLOWED_FILE_MAX_BYTES } from "./platform/reread-files.ts"

type Row = readonly string[]

/** A table as oxfmt formats it. */
function formatTable(head: Row, rows: readonly Row[]): string {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll(/(?<!\\)\|/g, "\\|")))
  const widths = head.map((cell, column) => Math.max(cell.length, ...escaped.map((row) => row[column]?.length ?? 0)))
  const line = (row: Row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...escaped.map(line)].join("\n")
}

const number = (value: number) => value.toLocaleString("en")
const seconds = (milliseconds: number) => `${number(milliseconds / 1_000)} s`

const { clientRequestsPerMinute, upstreamStreams } = readLimits({})

const LIMITS: readonly Row[] = [
  ["request body", `${number(BODY_MAX_BYTES)} bytes`, "413"],
  [
    "file that a variable names",
    `${number(FOLLOWED_FILE_MAX_BYTES)} bytes`,
    "the desk doesn't start; later, the last valid content stays in use",
  ],
  ["input", `${number(UPLOAD_MAX_BYTES)} bytes, ${INPUTS_MAX} for a Work`, "the page says so"],
  [
    "title, objective",
    `${number(TITLE_MAX_CHARACTERS)} and ${number(OBJECTIVE_MAX_CHARACTERS)} characters`,
    "the page says by how much",
  ],
  [
    "answer, comment",
    `${number(RESPONSE_MAX_CHARACTERS)} and ${number(COMMENT_MAX_CHARACTERS)} characters`,
    "the page says by how much",
  ],
  ["note of a hand-over", `${number(NOTE_MAX_CHARACTERS)} characters`, "400"],
  ["time limit of a Work", `${number(EXECUTION_LIMIT_MAX_SECONDS)} s`, "the page says so"],
  [
    "texts of one item",
    `${number(ITEM_TEXT_MAX_BYTES)} bytes`,
    "it can be declined, but not approved or answered here",
  ],
  ["one event of a stream", `${number(EVENT_MAX_BYTES)} bytes`, "the stream is cut"],
  ["page of a list", `${number(WORK_PAGE_MAX)} entries`, "400"],
  ["absence", `${number(ABSENCE_MAX_MS / 86_400_000)} days`, "400"],
  ["a person's devices", number(DEVICES_MAX), "409"],
  ["unfinished sign-ins", `${number(PENDING_MAX)}, each for ${number(PENDING_SECONDS)} s`, "the oldest is forgotten"],
  ["a person's desk writes, a minute", number(DESK_WRITES), "429 `PROXY_PERSON_LIMIT`"],
  ["a person's presence reports, a minute", number(PRESENCE_REPORTS), "429 `PROXY_PERSON_LIMIT`"],
  ["a person's reports of what they have seen, a minute", number(SEEN_REPORTS), "429 `PROXY_PERSON_LIMIT`"],
  ["a person's reports about the record, a minute", number(RECORD_REPORTS), "429 `PROXY_PERSON_LIMIT`"],
  ["reports about the record that the desk writes at once", number(REPORTS_MAX), "503 `PROXY_REPORTS_BUSY`"],
  ["days of a report about the record", number(REPORT_DAYS_MAX), "400 `PROXY_QUERY_INVALID`"],
  ["Work that the desk remembers as seen by a person", number(SEEN_WORK_MAX), "the oldest is forgotten"],
  ["a person's open event streams", number(STREAMS_MAX), "429 `PROXY_PERSON_LIMIT`"],
  [
    "requests of a client without a session, a minute",
    `${number(clientRequestsPerMinute)} (\`CLIENT_REQUESTS_PER_MINUTE\`)`,
    "429 `PROXY_CLIENT_LIMIT`",
  ],
  ["event streams at the service", `${number(upstreamStreams)} (\`UPSTREAM_STREAMS\`)`, "429 `PROXY_STREAMS_BUSY`"],
  ["time until the service begins to answer", seconds(TIMEOUTS.headers), "504"],
  ["time until a JSON answer of the service is complete", seconds(TIMEOUTS.json), "504"],
  [
    "time until a download or an event stream whose reader reads nothing is cut",
    `${seconds(TIMEOUTS.stalledDownload)}, ${seconds(TIMEOUTS.stalledViewer)}`,
    "the connection is cut",
  ],
  ["time until a silent event stream is closed", seconds(TIMEOUTS.silentStream), "the page connects again"],
  ["time until the identity provider answers", `${number(PROVIDER_SECONDS)} s`, "502"],
  [
    "difference between the provider's clock and the desk's",
    `${number(CLOCK_TOLERANCE_SECONDS)} s`,
    "the sign-in is refused",
  ],
]

const sectionOf = ([title, variables]: [string, (typeof VARIABLES)[string]]) => {
  const rows = variables.map(({ name, hasFile, preset, meaning }) => [
    hasFile === true ? `\`${name}\` or \`${name}_FILE\`` : `\`${name}\``,
    preset,
    meaning,
  ])
  return `### ${title}\n\n${formatTable(["variable", "without it", "meaning"], rows)}`
}

const WHO = {
  "no-session": "everyone",
  "optional-session": "everyone",
  session: "signed-in people",
  role: "people with a role",
} as const

const addressesOf = (routes: DeskRoutes): readonly Row[] => [
  ...Object.values(operations).map(({ id, method, path }) => [
    `\`${method} ${path}\``,
    roleFor(id) === "reader" ? WHO.role : `${roleFor(id)}s`,
  ]),
  ...Object.entries(routes).map(([address, { access }]) => [`\`${address}\``, WHO[access]]),
]

const documentOf = (routes: DeskRoutes) => `# Reference

Every variable, limit and address of the desk. \`src/reference.test.ts\` writes this document from the code.

## Variables

The environment is read once, at startup. If a value is missing, wrong, empty or contradictory, the desk stops with a non-zero status and one
line that names the variable but never its value. Set either a variable or its \`_FILE\` form, which names a file that is read again within
10 s of a change. A pipe is refused. The desk warns about an unknown variable that resembles one of these.

${Object.entries(VARIABLES).map(sectionOf).join("\n\n")}

## Limits

${formatTable(["what", "limit", "if exceeded"], LIMITS)}

## Addresses

Without sign-in there is one person, who has every role, and the addresses for sign-in don't exist. Any other address below \`/api\` and \`/desk\`
gets 404 or 405, and everything else is the app. [architecture.md](architecture.md#what-a-request-costs) lists what each request costs.

${formatTable(["address", "for"], addressesOf(routes))}

Probes may use:

${formatTable(
  ["address", "answers"],
  [
    ["`/desk/health`", "200 `ok` while the process serves"],
    [
      "`/desk/ready`",
      "200 until SIGTERM, then 503. The text is `ok`; if the last request to the service failed, it adds why",
    ],
    ["`/desk/health?upstream`", "200 if the service answers, otherwise 503; needs a session"],
    ["`/metrics`", "Prometheus text, only at `METRICS_HOST` and `METRICS_PORT`"],
  ],
)}
`

it("docs/reference.md matches the code", async () => {
  const { routes } = await deskWithPush([])
  await expect(documentOf(routes)).toMatchFileSnapshot(join(import.meta.dirname, "../docs/reference.md"))
})
