import { Link } from "react-router"
import type { Overview } from "../../contract/desk-work.ts"
import { writeHidden } from "../ui/hidden-characters.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { barLength, Figure, Numbers } from "./figure.tsx"
import styles from "./overview.module.css"
import { formatDate, formatOpenCount } from "./overview-words.ts"

type Colleague = Overview["colleagues"][number]

/** Sizes in pixels: the bar of open Work, and the columns of the last 14 days. */
const STACK_WIDTH = 150
const SPARK = { width: 8, step: 11, height: 26 }
const statuses = ["needs_you", "working", "paused"] as const
const tones = { needs_you: "accent", working: "quiet", paused: "outline" } as const

const openOf = ({ open }: Colleague) => statuses.reduce((sum, status) => sum + (open[status] ?? 0), 0)
const sumOf = (days: Colleague["created"], of: "count" | "done") => days.reduce((sum, day) => sum + day[of], 0)

/** A row for each colleague: open Work by status, and Work created on each of the last 14 days. */
export function Colleagues({ overview }: { overview: Overview }) {
  const { colleagues } = overview
  const caption = "Open Work, and Work created on each of the last 14 days (filled: done)"
  const days = colleagues[0]?.created.map(({ date }) => `Created ${formatDate(date)} (done)`) ?? []
  return (
    <Figure
      name="Colleagues"
      caption={overview.done_complete ? caption : `${caption}. Done Work is still being counted`}
      table={
        <Numbers
          head={["Colleague", "Waiting", "Working", "Paused", ...days]}
          rows={colleagues.map(({ id, open, created }) => [
            <OutsideText key={id}>{id}</OutsideText>,
            ...statuses.map((status) => open[status] ?? 0),
            ...created.map(({ count, done }) => `${count} (${done})`),
          ])}
        />
      }
    >
      {colleagues.length === 0 ? (
        <p className="soft small">No Work yet</p>
      ) : (
        <table className={styles["colleagues"]}>
          <thead className="visually-hidden">
            <tr>
              <th scope="col">Colleague</th>
              <th scope="col">Open Work</th>
              <th scope="col">Created in the last 14 days</th>
            </tr>
          </thead>
          <tbody>
            {colleagues.map((colleague) => (
              <Row
                key={colleague.id}
                colleague={colleague}
                mostOpen={Math.max(1, ...colleagues.map(openOf))}
                mostCreated={Math.max(1, ...colleagues.flatMap(({ created }) => created.map(({ count }) => count)))}
              />
            ))}
          </tbody>
        </table>
      )}
    </Figure>
  )
}

function Row({ colleague, mostOpen, mostCreated }: { colleague: Colleague; mostOpen: number; mostCreated: number }) {
  const { id, open, created } = colleague
  return (
    <tr>
      <th scope="row" className="mono" aria-label={writeHidden(id)}>
        <Link to={`/work?${new URLSearchParams({ colleague: id }).toString()}`} className={styles["link"]}>
          <OutsideText>{id}</OutsideText>
        </Link>
      </th>
      <td>
        <span className={styles["open"]}>
          <Stack open={open} most={mostOpen} />
          <span className="soft small">{formatOpenCount(open)}</span>
        </span>
      </td>
      <td>
        <Columns days={created} most={mostCreated} />
        <span className="visually-hidden">
          {sumOf(created, "count")} created, {sumOf(created, "done")} of them done
        </span>
      </td>
    </tr>
  )
}

function Stack({ open, most }: { open: Colleague["open"]; most: number }) {
  const widthOf = (status: (typeof statuses)[number]) => ((open[status] ?? 0) / most) * STACK_WIDTH
  return (
    <svg viewBox={`0 0 ${STACK_WIDTH} 16`} className={styles["stack"]} aria-hidden="true">
      {statuses.map((status, index) => {
        const start = statuses.slice(0, index).reduce((sum, before) => sum + widthOf(before), 0)
        const width = widthOf(status)
        const bar = { x: start + 0.5, y: 2, width: Math.max(2, width - 1), height: 12, rx: 2 }
        return width > 0 && <rect key={status} {...bar} className={styles[tones[status]]} />
      })}
    </svg>
  )
}

function Columns({ days, most }: { days: Colleague["created"]; most: number }) {
  return (
    <svg viewBox={`0 0 ${days.length * SPARK.step} ${SPARK.height + 2}`} className={styles["spark"]} aria-hidden="true">
      {days.map(({ date, count, done }, index) => {
        const x = index * SPARK.step
        const [all, filled] = [barLength(count, most, SPARK.height), barLength(done, most, SPARK.height)]
        const outline = { x: x + 0.5, y: SPARK.height - all, width: SPARK.width - 1, height: all, rx: 1.5 }
        const bar = { x, y: SPARK.height - filled, width: SPARK.width, height: filled, rx: 1.5 }
        return (
          <g key={date}>
            <title>{`${formatDate(date)}: ${count} created, ${done} done`}</title>
            <rect x={x} y={SPARK.height} width={SPARK.width} height={1} className={styles["quiet"]} />
            {count > 0 && <rect {...outline} className={styles["outline"]} />}
            {done > 0 && <rect {...bar} className={styles["quiet"]} />}
          </g>
        )
      })}
    </svg>
  )
}
