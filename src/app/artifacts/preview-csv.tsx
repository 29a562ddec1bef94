import { useVirtualizer } from "@tanstack/react-virtual"
import { useRef } from "react"
import { Callout } from "../ui/callout.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { formatNumber, plural } from "../../contract/plural.ts"
import styles from "./preview.module.css"
import type { PreviewTable } from "./preview-table.ts"
import { ScrollRegion } from "./preview-text.tsx"

const ROW_PX = 30

type RowsProps = { header: readonly string[]; rows: readonly (readonly string[])[] }

function HeaderCells({ header }: { header: readonly string[] }) {
  return header.map((cell, index) => (
    <th key={index} scope="col">
      <OutsideText>{cell}</OutsideText>
    </th>
  ))
}

/** A cell for each column, even if the row has fewer cells. */
function RowCells({ header, row }: { header: readonly string[]; row: readonly string[] }) {
  return header.map((_, column) => (
    <td key={column}>
      <OutsideText>{row[column] ?? ""}</OutsideText>
    </td>
  ))
}

/** The first rows of CSV, as a table without row numbers. */
export function CsvExcerpt({ header, rows }: RowsProps) {
  return (
    <table>
      <thead>
        <tr>
          <HeaderCells header={header} />
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            <RowCells header={header} row={row} />
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** CSV as a table that renders only the visible rows. Every cell is text, also a formula. */
export function CsvPreview({ table, whole }: { table: PreviewTable; whole: boolean }) {
  const { header, rows, widths, rowCount, columnCount, unclosedRow } = table
  const frame = useRef<HTMLElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    // A row of a hundred columns is a hundred cells to draw.
    overscan: header.length > 30 ? 3 : 12,
  })
  const items = virtual.getVirtualItems()
  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <>
      <p className="small soft">
        {whole ? "" : "The first "}
        {plural(rowCount, "row")}, {plural(columnCount, "column")}
      </p>
      {unclosedRow !== undefined && (
        <Callout announce="status" icon="warning" compact>
          A quotation mark in {unclosedRow === 0 ? "the header" : `row ${formatNumber(unclosedRow)}`} is never closed,
          so everything after it is in one cell.
        </Callout>
      )}
      {rowCount > rows.length && (
        <Callout announce="status" icon="warning" compact>
          Only the first {plural(rows.length, "row")} are shown. Download the file to see all of them.
        </Callout>
      )}
      {columnCount > header.length && (
        <Callout announce="status" icon="warning" compact>
          Only the first {plural(header.length, "column")} are shown. Download the file to see all of them.
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
              <HeaderCells header={header} />
            </tr>
          </thead>
          <tbody>
            {before > 0 && <tr aria-hidden="true" style={{ height: before }} />}
            {items.map(({ index, key }) => (
              <tr key={key} aria-rowindex={index + 2} style={{ height: ROW_PX }}>
                <th scope="row">{formatNumber(index + 1)}</th>
                <RowCells header={header} row={rows[index] ?? []} />
              </tr>
            ))}
            {after > 0 && <tr aria-hidden="true" style={{ height: after }} />}
          </tbody>
        </table>
      </ScrollRegion>
    </>
  )
}
