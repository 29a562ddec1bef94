import { stringifyJson } from "../../contract/int64.ts"
import { Fact } from "./facts.tsx"
import { OutsideText } from "./outside-text.tsx"

/** The members of `of` that this version of the app has no place for: shown as they are, never dropped (design, "Unknown is normal"). */
export function OtherFacts({ of, known }: { of: object; known: readonly string[] }) {
  return Object.entries(of)
    .filter(([name, value]) => !known.includes(name) && value !== undefined)
    .map(([name, value]) => (
      <Fact key={name} name={name}>
        <OutsideText multiline>{typeof value === "string" ? value : stringifyJson(value)}</OutsideText>
      </Fact>
    ))
}
