import { CopyButton } from "./copy-button.tsx"
import { OutsideText } from "./outside-text.tsx"

type Props = {
  /** The exact value; int64 as its digits. */
  value: string
  /** What it identifies, for the button that copies it; without it there is none. */
  copyable?: string
}

/** An opaque value in full, in monospace. */
export function Identifier({ value, copyable }: Props) {
  return (
    <span>
      <span className="mono">
        <OutsideText>{value}</OutsideText>
      </span>
      {copyable !== undefined && <CopyButton text={value} what={copyable} />}
    </span>
  )
}
