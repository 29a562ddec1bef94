import { useVirtualizer } from "@tanstack/react-virtual"
import Papa from "papaparse"
import { useMemo, useRef } from "react"
import { Callout } from "../ui/callout.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { plural } from "../ui/plural.ts"
import styles from "./preview.module.css"
import { ScrollRegion } from "./preview-text.tsx"

const ROW_PX = 30

/** CSV as a table that renders only the visible rows. Every cell is text, also a formula. */
export function CsvPreview({ text, whole }: { text: string; whole: boolean }) {
  const { header, rows, widths, columnsLeftOut } = useMemo(() => readTable(text, whole), [text, whole])
  const frame = useRef<HTMLElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  })
  const items = virtual.getVirtualItems()
  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <>
      <p className="small soft">
        {whole ? "" : "The first "}
        {plural(rows.length, "row")}, {plural(header.length + columnsLeftOut, "column")}
      </p>
      {columnsLeftOut > 0 && (
        <Callout announce="status" icon="warning" compact>
          The first {header.length} columns are shown; the download has them all.
        </Callout>
      )}
      <ScrollRegion ref={frame} label="Table" className={styles["csv"]}>
        <table aria-rowcount={rows.length + 1}>
          <colgroup>
            <col style={{ width: "9ch" }} />
            {widths.map((width, index) => (
              <col key={index} style={index === widths.length - 1 ? {} : { width: `${width}ch` }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">#</th>
              {header.map((cell, index) => (
                <th key={index} scope="col">
                  <OutsideText>{cell}</OutsideText>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {before > 0 && <tr aria-hidden="true" style={{ height: before }} />}
            {items.map(({ index, key }) => (
              <tr key={key} aria-rowindex={index + 2} style={{ height: ROW_PX }}>
                <th scope="row">{(index + 1).toLocaleString("en")}</th>
                {header.map((_, column) => (
                  <td key={column}>
                    <OutsideText>{rows[index]?.[column] ?? ""}</OutsideText>
                  </td>
                ))}
              </tr>
            ))}
            {after > 0 && <tr aria-hidden="true" style={{ height: after }} />}
          </tbody>
        </table>
      </ScrollRegion>
    </>
  )
}

const COLUMNS_MAX = 100
/** The first rows decide the widths of the columns, which are in characters. */
const MEASURED_ROWS = 200
const WIDTH_MIN = 6
const WIDTH_MAX = 42
/** A cell shows the beginning of this text in one line. More text would only slow the table, and the download has it. */
const CELL_CHARACTERS = 500

type CsvTable = {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** The width of each column, in characters. */
  readonly widths: readonly number[]
  readonly columnsLeftOut: number
}

/**
 * Reads CSV; the first record is the header, and the parser finds the delimiter. The last record of a beginning is left out, because it may
 * be incomplete. Only the first of very many columns, and the beginning of a very long cell, are returned.
 */
export function readTable(text: string, whole: boolean): CsvTable {
  const { data } = Papa.parse<string[]>(text, { skipEmptyLines: true })
  const records = whole ? data : data.slice(0, -1)
  const columns = records.reduce((most, record) => Math.max(most, record.length), 0)
  const shown = Math.min(columns, COLUMNS_MAX)
  const [header = [], ...rows] = records.map((record) => record.slice(0, shown).map(shorten))
  const measured = [header, ...rows.slice(0, MEASURED_ROWS)]
  const widths = Array.from({ length: shown }, (_, column) => {
    const longest = measured.reduce((most, record) => Math.max(most, (record[column] ?? "").length), 0)
    return Math.min(Math.max(longest + 3, WIDTH_MIN), WIDTH_MAX)
  })
  const names = Array.from({ length: shown }, (_, column) => header[column] ?? "")
  return { header: names, rows, widths, columnsLeftOut: columns - shown }
}

function shorten(cell: string): string {
  return cell.length <= CELL_CHARACTERS ? cell : `${cell.slice(0, CELL_CHARACTERS).toWellFormed()}…`
}
