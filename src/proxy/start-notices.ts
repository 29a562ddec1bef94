/** Opens notices, and connects them with the watcher and with the desk's log and metrics. */
import { Directory } from "../people/directory.ts"
import type { NoticesConfiguration } from "../notices/notices-configuration.ts"
import { type Notices, openNotices } from "../notices/notices.ts"
import type { DeskQueries } from "../overview/desk-queries.ts"
import { NOBODY, type WorkPeople } from "../record/work-people.ts"
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
  const { watcher } = queries
  const labels = new Map(colleagues.map(({ id, label }) => [id, label]))
  const notices = openNotices({
    configuration,
    database,
    directory: new Directory(database),
    access: () => people.access(),
    watch: () => watcher.use(),
    sight: {
      viewOf: (viewer) => watcher.views.of(viewer),
      peopleOf: (workId) => workPeople?.of(workId) ?? NOBODY,
    },
    marks: {
      refresh: async () => queries.team?.load(),
      of(watched, item) {
        const { team } = queries
        const found = queries.teamItem(watched, item)
        return { given: team?.assignedTo(found), notFor: team?.notFor(found) ?? [], remindAt: team?.remindAt(found) }
      },
    },
    labelOf: (id) => labels.get(id) ?? id,
    links: () => address() ?? new URL("http://localhost"),
    log,
    count: (channel, outcome) => metrics?.countNotice(channel, outcome),
  })
  metrics?.collectNotices(() => notices.figures())
  return notices
}
