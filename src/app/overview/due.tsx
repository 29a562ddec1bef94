import { OVERDUE_DAYS, type Overview } from "../../contract/desk-work.ts"
import { Figure, Numbers, useWidth } from "./figure.tsx"
import styles from "./overview.module.css"
import { overdueToday, formatDate, formatDue } from "./overview-words.ts"

const HEIGHT = 96
const TOP = 16
const BASE = 74
/** The width of a digit over a bar. A number that is wider than its bar is left out. */
const DIGIT = 7

/** Open Work by its due day: overdue days in front of today, coming days behind. */
export function Due({ overview }: { overview: Overview }) {
  const { days, earlier, later, none, overdue } = overview.due
  return (
    <Figure
      name="Due"
      caption={formatDue(overview)}
      table={
        <Numbers
          head={["Due", "Open Work"]}
          rows={[
            ["Overdue in total", overdue],
            ["Earlier", earlier],
            ...days.map(({ date, count }, index) => [dayName(date, index), count]),
            ["Later", later],
            ["Without a date", none],
          ]}
        />
      }
    >
      {days.some(({ count }) => count > 0) && <Bars days={days} overdueToday={overdueToday(overview.due)} />}
    </Figure>
  )
}

const dayName = (date: string, index: number) => (index === OVERDUE_DAYS ? "Today" : formatDate(date))

type BarsProps = { days: Overview["due"]["days"]; overdueToday: number }

function Bars({ days, overdueToday }: BarsProps) {
  const { ref, width } = useWidth()
  const most = Math.max(1, ...days.map(({ count }) => count))
  const step = width / days.length
  const toneOf = (index: number) => (index < OVERDUE_DAYS ? "bad" : index === OVERDUE_DAYS ? "accent" : "quiet")
  const ticks = [0, OVERDUE_DAYS, OVERDUE_DAYS * 2, days.length - 1]
  return (
    <div ref={ref}>
      <svg className={styles["plot"]} viewBox={`0 0 ${width} ${HEIGHT}`} style={{ height: HEIGHT }} aria-hidden="true">
        <text x={0} y={11} className={styles["side"]}>
          overdue
        </text>
        <line x1={0} x2={width} y1={BASE + 0.5} y2={BASE + 0.5} className={styles["grid"]} />
        <line x1={step * OVERDUE_DAYS} x2={step * OVERDUE_DAYS} y1={0} y2={BASE} className={styles["grid"]} />
        {days.map(({ date, count }, index) => {
          const height = count === 0 ? 0 : Math.max(3, (count / most) * (BASE - TOP - 14))
          const bar = { x: (index + 0.1) * step, y: BASE - height, width: step * 0.8, height, rx: 2 }
          const middle = (index + 0.5) * step
          const hasRoom = (String(count).length + 1) * DIGIT <= step
          return (
            <g key={date}>
              {count > 0 && (
                <>
                  <rect {...bar} className={styles[toneOf(index)]} />
                  {index === OVERDUE_DAYS && overdueToday > 0 && <OverduePart bar={bar} share={overdueToday / count} />}
                  {hasRoom && (
                    <text x={middle} y={BASE - height - 5} className={styles["value"]}>
                      {count}
                    </text>
                  )}
                </>
              )}
              {ticks.includes(index) && (
                <text x={Math.min(Math.max(middle, 20), width - 20)} y={BASE + 17} className={styles["tick"]}>
                  {index === OVERDUE_DAYS ? "today" : formatDate(date)}
                </text>
              )}
            </g>
          )
        })}
      </svg>
    </div>
  )
}

type Bar = {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly rx: number
}

/** The lower part of the bar of today: what was due earlier today. `share` is that part of the bar, from 0 to 1. */
function OverduePart({ bar, share }: { bar: Bar; share: number }) {
  const height = bar.height * share
  return <rect {...bar} y={BASE - height} height={height} className={styles["bad"]} />
}
