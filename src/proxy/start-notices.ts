/** Opens notices, and connects them with the watcher and with the desk's log and metrics. */
import { Directory } from "../people/directory.ts"
import type { NoticesConfiguration } from "../notices/notices-configuration.ts"
import { Notices } from "../notices/notices.ts"
import type { DeskQueries } from "../overview/desk-queries.ts"
import type { WorkPeople } from "../record/work-people.ts"
import type { ProxyOptions } from "./proxy.ts"

const NO_CHANNELS: NoticesConfiguration = { mail: undefined, webhook: undefined }

export type NoticeSources = {
  readonly queries: DeskQueries
  /** Undefined in local mode, which has no mail. */
  readonly workPeople: WorkPeople | undefined
  /** Where the links of the webhook begin; known when the desk listens. */
  readonly address: () => URL | undefined
}

/** Opens notices on a desk with these parts. */
export function startNotices(
  { notices: configuration = NO_CHANNELS, database, people, colleagues, log, metrics }: ProxyOptions,
  { queries, workPeople, address }: NoticeSources,
): Notices {
  const labels = new Map(colleagues.map(({ id, label }) => [id, label]))
  const notices = new Notices({
    configuration,
    database,
    directory: new Directory(database),
    access: () => people.access(),
    queries,
    workPeople,
    labelOf: (id) => labels.get(id) ?? id,
    links: () => address() ?? new URL("http://localhost"),
    log,
    count: (channel, outcome) => metrics?.countNotice(channel, outcome),
  })
  metrics?.collectNotices(() => notices.figures())
  return notices
}
