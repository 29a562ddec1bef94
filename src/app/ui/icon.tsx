import type { ReactNode } from "react"

const line = (d: string, width = 1.5): ReactNode => (
  <path d={d} fill="none" stroke="currentColor" strokeWidth={width} strokeLinecap="round" strokeLinejoin="round" />
)

/** Every symbol on a 16 x 16 grid, drawn in the colour of its words. */
const drawings = {
  mark: line("M1.5 2.2h13v8.6h-13zM5 14.500l1.400-3.700M11 14.500l-1.400-3.700M5.400 6.500l1.800 1.800 3.400-3.300"),
  overview: line("M2.500 13.500h11M4.500 11V7.500M8 11V3M11.500 11V5.500"),
  work: line("M5.5 3.5h8M5.5 8h8M5.5 12.5h8M2.5 3.5h.01M2.5 8h.01M2.5 12.5h.01"),
  "needs-you": line(
    "M14 7.600c0 3-2.700 5.400-6 5.400-.8 0-1.600-.1-2.300-.4L2.500 13.500l.8-2.500C2.500 10 2 8.900 2 7.600c0-3 2.700-5.400 6-5.400s6 2.400 6 5.400z",
  ),
  approvals: line(
    "M8 1.800l5 2v3.700c0 3.100-2.100 5.500-5 6.700-2.900-1.200-5-3.600-5-6.700V3.800zM5.800 7.900l1.600 1.600 3-3.200",
  ),
  record: line(
    "M3 2.500h10v11l-2-1.200-1.500 1.200L8 12.300l-1.500 1.200L5 12.300l-2 1.200zM5.500 5.500h5M5.500 8.500h5",
  ),
  new: line("M8 3v10M3 8h10"),
  working: line("M8 2a6 6 0 1 1-5.200 3", 1.8),
  needs: (
    <path
      fill="currentColor"
      d="M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13zm0 9a.9.9 0 1 0 0 1.800.9.9 0 0 0 0-1.800zM8 4c-.5 0-.9.4-.8.9l.3 4c0 .6.900.6 1 0l.3-4c0-.5-.3-.9-.8-.9z"
    />
  ),
  paused: line("M5.500 3.500v9M10.500 3.500v9", 1.8),
  done: line("M3 8.500l3.200 3.200L13 5", 2),
  unknown: line("M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.300 6.300A1.700 1.700 0 1 1 8 8.400v.6M8 11.200v.01"),
  file: line("M4 1.800h5l3 3v9.400H4zM9 1.800v3h3", 1.4),
  search: line("M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.700 10.700L14 14"),
  copy: line("M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3"),
  rename: line("M10.500 3l2.500 2.500L6 12.500l-3 .5.5-3z"),
  close: line("M4 4l8 8M12 4l-8 8"),
  chevron: line("M6 3.500L10.500 8 6 12.500"),
  download: line("M8 2v8M4.500 7L8 10.500 11.500 7M2.500 13.500h11"),
  refresh: line("M13.500 8A5.500 5.500 0 1 1 11.800 4M13.500 1.800V4.500h-2.700"),
  warning: line("M8 2.200l6.300 11.300H1.700zM8 6.500v3.300M8 11.700v.01"),
  clock: line("M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.800V8l2.200 1.500"),
  sun: line(
    "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  ),
  moon: line("M13.500 9.600A6 6 0 1 1 6.400 2.500a4.800 4.800 0 0 0 7.100 7.100z"),
  system: line("M2 3h12v8H2zM5.500 13.800h5"),
  keyboard: line("M1.500 4h13v8.500h-13zM4 6.800h.01M6.700 6.800h.01M9.300 6.800h.01M12 6.800h.01M5 9.800h6"),
  bell: line("M4 11V7a4 4 0 0 1 8 0v4l1 1.300H3zM6.800 14.300h2.400"),
  offline: line(
    "M2 2l12 12M5 8.600A4.500 4.500 0 0 1 6.600 7.600M2.700 6.200A8 8 0 0 1 5 4.700M8 4a8 8 0 0 1 5.300 2.200M8 12.200v.01",
  ),
  play: line("M5 3.500v9l7-4.500z"),
  more: line("M3.500 8h.01M8 8h.01M12.500 8h.01", 2),
} satisfies Record<string, ReactNode>

/** The name of a drawing. */
export type IconName = keyof typeof drawings

/** A decorative symbol; `size` is in pixels. It is hidden from assistive technology, because the words beside it say the same. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {drawings[name]}
    </svg>
  )
}
