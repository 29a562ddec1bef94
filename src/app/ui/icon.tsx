/** The name of a symbol. `index.html` draws the symbols, so that they are on the screen before the app has arrived. */
export type IconName =
  | "mark"
  | "overview"
  | "work"
  | "needs-you"
  | "question"
  | "approvals"
  | "record"
  | "new"
  | "more"
  | "working"
  | "needs"
  | "paused"
  | "done"
  | "unknown"
  | "file"
  | "search"
  | "copy"
  | "compare"
  | "rename"
  | "close"
  | "chevron"
  | "download"
  | "refresh"
  | "warning"
  | "hand"
  | "address"
  | "clock"
  | "sun"
  | "moon"
  | "system"
  | "keyboard"
  | "bell"
  | "offline"
  | "play"
  | "eye"
  | "back"

/** A decorative symbol; `size` is in pixels. It is hidden from assistive technology, because the words beside it say the same. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <use href={`#icon-${name}`} />
    </svg>
  )
}
