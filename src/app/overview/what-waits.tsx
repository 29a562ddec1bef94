import { type KeyboardEvent, useMemo, useRef, useState } from "react"
import { Link } from "react-router"
import type { Overview, WaitingMark } from "../../contract/desk-work.ts"
import { useSession } from "../client/session.ts"
import { standingOf, useWaiting } from "../client/waiting.ts"
import { inboxAddress } from "../inbox/addresses.ts"
import { writeHidden } from "../ui/hidden-characters.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { countOf, formatNumber } from "../../contract/plural.ts"
import { formatAge } from "../ui/time-words.ts"
import { barLength, Figure, Numbers, useWidth } from "./figure.tsx"
import { chooseMarkSize, countBetweenTicks, placeMarks, waitPosition, waitTicks } from "./mark-places.ts"
import styles from "./overview.module.css"
import { formatWaiting } from "./overview-words.ts"

/** Sizes in pixels: the space beside the axis, a row of marks, the space around a row, and the axis below. */
const EDGE = 16
const ROW_MAX = 120
const GAP = 6
const AXIS = 24
/** On a plot narrower than this, a tick that stands close to its neighbours (`needsRoom`) has no label. */
const NARROW = 560

const kinds = { attention: "Question", approval: "Approval" } as const

/** Up to this many items have a mark each. More than that are counted in bars, and listed in the table. */
const MARKS_MAX = 30
/** The height of the longest bar, and of the number above it. */
const BAR_MAX = 56
const NUMBER = 16

/** Where an item is answered or decided. */
export const addressOf = ({ kind, work_id, item_id }: WaitingMark): string =>
  inboxAddress(kind === "attention" ? "/needs-you" : "/approvals", work_id, item_id)

/** The ids of the items that need the person, undefined until the desk has answered, and the number of items that wait for others. */
export function useNeed(): { readonly needed: ReadonlySet<string> | undefined; readonly others: number } {
  const myId = useSession()?.person.id ?? ""
  const waiting = useWaiting((now) => now.waiting)
  return useMemo(() => {
    if (waiting === undefined) return { needed: undefined, others: 0 }
    const entries = [...waiting.clarifications, ...waiting.approvals]
    const { waits = [], aside = [] } = Object.groupBy(entries, (entry) => standingOf(entry, myId))
    return {
      needed: new Set(waits.map(({ item }) => item.id)),
      others: entries.length - waits.length - aside.length,
    }
  }, [waiting, myId])
}

/** The items that wait, by how long they have waited. */
export function WhatWaits({ overview }: { overview: Overview }) {
  const now = Date.parse(overview.at)
  const { others } = useNeed()
  const waitOf = ({ created_at }: WaitingMark) => Math.max(0, now - Date.parse(created_at))
  return (
    <Figure
      name="What waits"
      caption={formatWaiting(overview) + (others > 0 ? `; ${countOf(others, "waits", "wait")} for others` : "")}
      table={
        <Numbers
          head={["Item", "Kind", "Waiting"]}
          rows={overview.waiting.map((mark) => [
            <Link key={mark.item_id} to={addressOf(mark)} className={styles["link"]}>
              <OutsideText empty="Untitled">{mark.title}</OutsideText>
            </Link>,
            kinds[mark.kind],
            formatAge(waitOf(mark)),
          ])}
        />
      }
    >
      {overview.waiting.length > MARKS_MAX ? (
        <Bars marks={overview.waiting} waitOf={waitOf} />
      ) : (
        (overview.waiting.length > 0 || !overview.complete) && <Marks marks={overview.waiting} waitOf={waitOf} />
      )}
    </Figure>
  )
}

type PlotProps = { marks: readonly WaitingMark[]; waitOf: (mark: WaitingMark) => number }

/** How many items have waited between two ticks, in a row of bars for each kind. */
function Bars({ marks, waitOf }: PlotProps) {
  const { ref, width } = useWidth()
  const rows = (["attention", "approval"] as const).map((kind) => ({
    kind,
    counts: countBetweenTicks(marks.filter((mark) => mark.kind === kind).map((mark) => waitOf(mark) / 1_000)),
  }))
  const most = Math.max(...rows.flatMap(({ counts }) => counts))
  const rowHeight = NUMBER + BAR_MAX + GAP
  const bottom = rows.length * rowHeight
  const edges = [...waitTicks.map(({ seconds }) => xOf(seconds, width)), width - EDGE]
  return (
    <div ref={ref}>
      <svg
        className={styles["plot"]}
        viewBox={`0 0 ${width} ${bottom + AXIS}`}
        style={{ height: bottom + AXIS }}
        aria-hidden="true"
      >
        <Ticks width={width} bottom={bottom} />
        {rows.map(({ kind, counts }, row) =>
          counts.map((count, index) => {
            const [left = 0, right = 0] = edges.slice(index)
            const height = barLength(count, most, BAR_MAX)
            const y = (row + 1) * rowHeight - GAP - height
            return (
              count > 0 && (
                <g key={left}>
                  <rect
                    {...{ x: left + 2, y, width: right - left - 4, height, rx: 2 }}
                    className={styles[kind === "attention" ? "question" : "approve"]}
                  />
                  <text x={(left + right) / 2} y={y - 4} className={styles["value"]}>
                    {formatNumber(count)}
                  </text>
                </g>
              )
            )
          }),
        )}
      </svg>
      <Key />
    </div>
  )
}

/** The place of a wait on the axis, in pixels. */
const xOf = (seconds: number, width: number) => EDGE + waitPosition(seconds) * (width - 2 * EDGE)

function Ticks({ width, bottom }: { width: number; bottom: number }) {
  return (
    <g aria-hidden="true">
      {waitTicks.map(({ seconds, label, ...tick }) => (
        <g key={label}>
          <line x1={xOf(seconds, width)} x2={xOf(seconds, width)} y1={0} y2={bottom} className={styles["grid"]} />
          {!(width < NARROW && "needsRoom" in tick) && (
            <text x={xOf(seconds, width)} y={bottom + 16} className={styles["tick"]}>
              {label}
            </text>
          )}
        </g>
      ))}
    </g>
  )
}

function Key() {
  return (
    <p className={styles["key"]} aria-hidden="true">
      <svg width="12" height="12">
        <Shape kind="attention" x={6} y={6} size={12} />
      </svg>
      question
      <svg width="12" height="12">
        <Shape kind="approval" x={6} y={6} size={12} />
      </svg>
      approval
    </p>
  )
}

function Marks({ marks, waitOf }: PlotProps) {
  const { ref, width } = useWidth()
  const { onKeyDown, tabIndexOf } = useArrows(marks.length)
  const group = useRef<SVGGElement>(null)
  const columnOf = (mark: WaitingMark) => xOf(waitOf(mark) / 1_000, width)
  const ofKind = (kind: WaitingMark["kind"]) => marks.filter((mark) => mark.kind === kind)
  const sizeOf = (row: readonly WaitingMark[]) => chooseMarkSize(row, columnOf, ROW_MAX)
  const size = Math.min(sizeOf(ofKind("attention")), sizeOf(ofKind("approval")))
  const clarifications = placeMarks(ofKind("attention"), columnOf, size, ROW_MAX)
  const approvals = placeMarks(ofKind("approval"), columnOf, size, ROW_MAX)
  const top = GAP + clarifications.height + GAP
  const bottom = top + approvals.height + GAP
  const yOf = new Map([
    ...clarifications.placed.map(({ mark, x, y }) => [mark, { x, y: y + GAP }] as const),
    ...approvals.placed.map(({ mark, x, y }) => [mark, { x, y: y + top }] as const),
  ])
  return (
    <div ref={ref}>
      <svg className={styles["plot"]} viewBox={`0 0 ${width} ${bottom + AXIS}`} style={{ height: bottom + AXIS }}>
        <Ticks width={width} bottom={bottom} />
        <g ref={group} onKeyDown={onKeyDown}>
          {marks.map((mark, index) => {
            const { x = 0, y = 0 } = yOf.get(mark) ?? {}
            const name = `${kinds[mark.kind]}: ${writeHidden(mark.title)}, waiting ${formatAge(waitOf(mark))}`
            return (
              <Link
                key={`${mark.kind} ${mark.work_id} ${mark.item_id}`}
                to={addressOf(mark)}
                className={styles["mark"]}
                aria-label={name}
                tabIndex={tabIndexOf(index)}
                data-mark={index}
              >
                <title>{name}</title>
                <Shape kind={mark.kind} x={x} y={y} size={size} />
              </Link>
            )
          })}
        </g>
      </svg>
      <Key />
    </div>
  )
}

type ShapeProps = { kind: WaitingMark["kind"]; x: number; y: number; size: number }

/** A circle for a clarification, a square on its corner for an approval. */
function Shape({ kind, x, y, size }: ShapeProps) {
  if (kind === "attention")
    return <circle cx={x} cy={y} r={size * 0.42} className={styles["question"]} strokeWidth={size / 8} />
  const square = { x: x - size / 3, y: y - size / 3, width: size * 0.66, height: size * 0.66 }
  return <rect {...square} transform={`rotate(45 ${x} ${y})`} className={styles["approve"]} strokeWidth={size / 6} />
}

/** One mark is a stop of the Tab key; arrows lead to its neighbours (WAI-ARIA, roving tabindex). */
function useArrows(length: number) {
  const [at, setAt] = useState(0)
  const stop = Math.min(at, Math.max(0, length - 1))
  // The item that has waited longest is the first mark, and stands at the right: an arrow to the left leads to the next mark.
  const steps: Readonly<Record<string, number>> = { ArrowLeft: 1, ArrowUp: 1, ArrowRight: -1, ArrowDown: -1 }
  const onKeyDown = (event: KeyboardEvent<SVGGElement>) => {
    const step = steps[event.key]
    if (step === undefined || !(event.target instanceof Element)) return
    event.preventDefault()
    const here = Number(event.target.closest("[data-mark]")?.getAttribute("data-mark") ?? stop)
    const next = Math.min(Math.max(0, here + step), length - 1)
    setAt(next)
    event.currentTarget.querySelector<SVGElement>(`[data-mark="${next}"]`)?.focus()
  }
  return { onKeyDown, tabIndexOf: (index: number) => (index === stop ? 0 : -1) }
}
