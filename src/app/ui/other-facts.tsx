import { stringifyJson } from "../../contract/int64.ts"
import { Fact } from "./facts.tsx"
import { OutsideText } from "./outside-text.tsx"

/** Shows the members of `of` that this version of the app does not know, as they are. */
export function OtherFacts({ of, known }: { of: object; known: readonly string[] }) {
  return Object.entries(of)
    .filter(([name, value]) => !known.includes(name) && value !== undefined)
    .map(([name, value]) => (
      <Fact key={name} name={name}>
        <OutsideText multiline>{typeof value === "string" ? value : stringifyJson(value)}</OutsideText>
      </Fact>
    ))
}
