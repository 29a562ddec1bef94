import type { Overview } from "../../contract/desk-work.ts"
import { barLength, Figure, Numbers } from "./figure.tsx"
import { formatDate, formatDecisions } from "./overview-words.ts"
import styles from "./overview.module.css"

/** Sizes in pixels. The bars of approved decisions stand above the line at `BASE`, those of declined decisions hang below. */
const WIDTH = 380
const STEP = WIDTH / 14
const BAR = STEP * 0.68
const HALF = { approved: 56, declined: 24 }
const BASE = HALF.approved + 4
const HEIGHT = BASE + HALF.declined + 22

/** Decisions a day: approved above the line, declined below. */
export function Decisions({ decisions }: { decisions: NonNullable<Overview["decisions"]> }) {
  const { days } = decisions
  const most = Math.max(1, ...days.flatMap(({ approved, declined }) => [approved, declined]))
  return (
    <Figure
      name="Decisions"
      caption={formatDecisions(decisions)}
      table={
        <Numbers
          head={["Day", "Approved", "Declined"]}
          rows={days.map(({ date, approved, declined }) => [formatDate(date), approved, declined])}
        />
      }
    >
      <svg
        className={styles["plot"]}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        style={{ maxWidth: WIDTH, height: "auto" }}
        aria-hidden="true"
      >
        <line x1={0} x2={WIDTH} y1={BASE + 0.5} y2={BASE + 0.5} className={styles["grid"]} />
        {days.map(({ date, approved, declined }, index) => {
          const column = { x: index * STEP + (STEP - BAR) / 2, width: BAR, rx: 2 }
          const up = barLength(approved, most, HALF.approved)
          const down = barLength(declined, most, HALF.declined)
          return (
            <g key={date}>
              <title>{`${formatDate(date)}: ${approved} approved, ${declined} declined`}</title>
              <rect {...column} y={BASE - 1 - up} height={up} className={styles["good"]} />
              <rect {...column} y={BASE + 2} height={down} className={styles["outline"]} />
            </g>
          )
        })}
        <text x={18} y={HEIGHT - 4} className={styles["tick"]}>
          {formatDate(days[0]?.date ?? "")}
        </text>
        <text x={WIDTH - 18} y={HEIGHT - 4} className={styles["tick"]}>
          today
        </text>
      </svg>
      <p className={styles["key"]}>approved above the line, declined below</p>
    </Figure>
  )
}
