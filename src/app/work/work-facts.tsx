import { stringifyJson } from "../../contract/int64.ts"
import type { Work } from "../../contract/resources.ts"
import { Fact, Facts } from "../ui/facts.tsx"
import { Identifier } from "../ui/identifier.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import styles from "./work-page.module.css"

const MOMENTS = ["due_at", "created_at", "updated_at"]
const IDENTIFIERS = ["id", "colleague_id", "human_owner_id", "created_by", "current_attention_id"]

/** Every field of a Work with its exact value, under the API's own name. Fields that the contract does not know are shown too. */
export function WorkFacts({ work }: { work: Work }) {
  return (
    <details className={styles["facts"]}>
      <summary>All fields</summary>
      <Facts>
        {Object.entries(work).map(([name, value]) => (
          <Fact key={name} name={name}>
            <FieldValue name={name} value={value} />
          </Fact>
        ))}
      </Facts>
    </details>
  )
}

function FieldValue({ name, value }: { name: string; value: unknown }) {
  if (typeof value !== "string") return <span className="mono">{stringifyJson(value)}</span>
  if (IDENTIFIERS.includes(name)) return <Identifier value={value} copyable={name} />
  if (MOMENTS.includes(name))
    return (
      <>
        <span className="mono">
          <OutsideText>{value}</OutsideText>
        </span>{" "}
        <span className="small soft">
          <RelativeTime at={value} />
        </span>
      </>
    )
  return <OutsideText multiline>{value}</OutsideText>
}
