import { CopyButton } from "./copy-button.tsx"
import { OutsideText } from "./outside-text.tsx"

type Props = {
  /** The exact value; an int64 as its digits. */
  value: string
  /** The name of the value, for the button that copies it. Without a name there is no button. */
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
