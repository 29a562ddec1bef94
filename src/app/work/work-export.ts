/** The export of a Work: everything that the app can read about it, as one file. */
import { stringifyJson } from "../../contract/int64.ts"
import type { Work } from "../../contract/resources.ts"
import { DeskError } from "../client/desk-error.ts"
import { readApprovals, readArtifacts, readClarifications } from "../client/work-reads.ts"
import { readAnswered } from "../inbox/item-entries.ts"

/** A part of the export of a Work: its items, or why they could not be read. */
type ExportPart<Item> = { readonly items: readonly Item[] } | { readonly unread: string }

/**
 * Reads the items of a Work. A part that cannot be read becomes `unread`, and the other parts are returned. `answered` are the clarifications
 * that were answered from this browser, because the API lists only open clarifications.
 */
export async function readWorkExport(id: string) {
  const [attention, approvals, artifacts] = await Promise.all([
    readPart(readClarifications(id)),
    readPart(readApprovals(id)),
    readPart(readArtifacts(id)),
  ])
  return { attention, answered: readAnswered(id), approvals, artifacts }
}

async function readPart<Item>(items: Promise<readonly Item[]>): Promise<ExportPart<Item>> {
  try {
    return { items: await items }
  } catch (error) {
    if (!(error instanceof DeskError)) throw error
    return { unread: error.message }
  }
}

export type ExportedEvent = {
  readonly id: string | undefined
  readonly type: string
  readonly at: string
  readonly line: string | undefined
}

type WorkExport = Awaited<ReturnType<typeof readWorkExport>> & {
  readonly work: Work
  readonly events: readonly ExportedEvent[]
}

const APPROVAL_FACTS = [
  "destination",
  "subject",
  "requested_by_colleague",
  "risk",
  "policy_reason",
  "proposed_action_payload_hash",
  "resolved_at",
  "resolution_actor",
] as const

/**
 * Writes a Work with its fields, objective, items, results and activity as Markdown. Texts from outside are written as code, so that nothing
 * in them becomes a link, an image or a heading.
 */
export function writeWorkExport({ work, attention, answered, approvals, artifacts, events }: WorkExport): string {
  const fields = Object.entries(work).filter(([name]) => !["title", "objective", "completion_summary"].includes(name))
  return [
    `# Work: ${code(work.title)}`,
    fields
      .map(([name, value]) => `- ${name}: ${code(typeof value === "string" ? value : stringifyJson(value))}`)
      .join("\n"),
    "## Objective",
    block(work.objective),
    ...(work.completion_summary === undefined ? [] : ["## Result", block(work.completion_summary)]),
    "## Clarifications",
    ...part(attention, "No open clarifications.", (item) => [
      `### ${code(item.title)} (${code(item.status)}, version ${String(item.version)})`,
      block([item.what_happened, item.why_needed, item.recommended_action, item.consequences].join("\n\n")),
      ...(item.resolution === undefined ? [] : [`Resolved ${code(item.resolved_at ?? "")}:`, block(item.resolution)]),
    ]),
    ...answered.flatMap(({ title, text = "", at = "", version }) => [
      `### ${code(title)} (answered from this browser ${code(at)}, version ${String(version)})`,
      block(text),
    ]),
    "## Approvals",
    ...part(approvals, "No approvals.", (item) => [
      `### ${code(item.summary)} (${code(item.status)}, version ${String(item.version)})`,
      APPROVAL_FACTS.flatMap((name) => (item[name] === undefined ? [] : [`- ${name}: ${code(item[name])}`])).join("\n"),
      block(item.body),
      ...(item.resolution_comment === undefined ? [] : ["Comment:", block(item.resolution_comment)]),
    ]),
    "## Artifacts",
    ...part(artifacts, "No results.", (item) => [
      `- ${code(item.path)}: ${code(item.media_type)}, ${String(item.size)} bytes, version ${String(item.version)}, ${code(item.processing_state ?? "available")}, hash ${code(item.content_hash)}`,
    ]),
    "## Activity",
    events.length === 0
      ? "No events."
      : events
          .map(({ id, type, at, line }) => `- ${code(id ?? "no id")} ${at} ${code(type)} ${code(line ?? "")}`)
          .join("\n"),
  ]
    .join("\n\n")
    .concat("\n")
}

function part<Item>(read: ExportPart<Item>, none: string, write: (item: Item) => string[]): string[] {
  if ("unread" in read) return [`Couldn't be read: ${code(read.unread)}`]
  return read.items.length === 0 ? [none] : read.items.flatMap(write)
}

/** A code span that no backtick within can end (CommonMark, "Code spans"). */
function code(text: string): string {
  const line = text.replace(/\s+/g, " ").trim()
  if (line === "") return ""
  const fence = "`".repeat(longestRun(line) + 1)
  return `${fence} ${line} ${fence}`
}

/** A fenced block that no line within can end (CommonMark, "Fenced code blocks"). */
function block(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}text\n${text}\n${fence}`
}

function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}
