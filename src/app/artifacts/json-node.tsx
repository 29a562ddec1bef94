import { useState } from "react"
import { Button } from "../ui/button.tsx"
import { Icon } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { countMembers, ExactNumber, membersOf } from "./json-tree.ts"
import styles from "./preview.module.css"

const PAGE = 100
const STRING_CHARACTERS = 2_000

/** The number of levels that open without a click while each has a single member. */
const OPENED_LEVELS = 5

type Props = { name?: string; value: unknown; level: number; open?: boolean }

/** A value of the tree and its members. The members are rendered when the person opens the value, a hundred at a time. */
export function JsonNode({ name, value, level, open: openAtFirst = false }: Props) {
  const [open, setOpen] = useState(openAtFirst)
  const [shown, setShown] = useState(PAGE)
  const isBranch = typeof value === "object" && value !== null && !(value instanceof ExactNumber)
  if (!isBranch)
    return (
      <li>
        <Name name={name} /> <Leaf value={value} />
      </li>
    )
  const count = countMembers(value)
  const isList = Array.isArray(value)
  const members = open ? (membersOf(value) ?? []) : []
  return (
    <li>
      <button type="button" className={styles["branch"]} aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="chevron" size={12} />
        <Name name={name} />{" "}
        <span className={styles["soft"]}>
          {isList ? `[ ${count.toLocaleString("en")} ]` : `{ ${count.toLocaleString("en")} }`}
        </span>
      </button>
      {open && (
        <ul>
          {members.slice(0, shown).map(([member, inner]) => (
            <JsonNode
              key={member}
              name={member}
              value={inner}
              level={level + 1}
              open={count === 1 && level < OPENED_LEVELS}
            />
          ))}
          {members.length > shown && (
            <li>
              <Button size="small" onClick={() => setShown(shown + PAGE)}>
                Show {Math.min(PAGE, members.length - shown)} more of {(members.length - shown).toLocaleString("en")}
              </Button>
            </li>
          )}
        </ul>
      )}
    </li>
  )
}

function Name({ name }: { name: string | undefined }) {
  if (name === undefined) return null
  return (
    <span className={styles["name"]}>
      <OutsideText>{name.length > STRING_CHARACTERS ? `${name.slice(0, STRING_CHARACTERS)}…` : name}</OutsideText>:
    </span>
  )
}

function Leaf({ value }: { value: unknown }) {
  const [whole, setWhole] = useState(false)
  if (typeof value !== "string")
    return <span className={styles["literal"]}>{value instanceof ExactNumber ? value.text : String(value)}</span>
  const isLong = !whole && value.length > STRING_CHARACTERS
  return (
    <span className={styles["string"]}>
      “<OutsideText>{isLong ? value.slice(0, STRING_CHARACTERS).toWellFormed() : value}</OutsideText>”
      {isLong && (
        <Button size="small" onClick={() => setWhole(true)}>
          Show all {value.length.toLocaleString("en")} characters
        </Button>
      )}
    </span>
  )
}
