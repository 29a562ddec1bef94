import { useId, useState } from "react"
import { Link, useNavigate } from "react-router"
import { useSession } from "../client/session.ts"
import { ButtonLink } from "../ui/button.tsx"
import { Identifier } from "../ui/identifier.tsx"
import { useKnownPeople, recordAddress, type RecordQuery } from "./record-queries.ts"
import { operationNames, outcomeNames } from "./record-words.ts"
import { Choice } from "../ui/list-parts.tsx"
import styles from "../ui/list.module.css"

/** The filters. They change the address of the page, which chooses the entries. */
export function RecordFilters({ query }: { query: RecordQuery }) {
  const navigate = useNavigate()
  const own = useSession()?.person
  const people = new Map([...(own ? [[own.id, own.name] as const] : []), ...useKnownPeople()])
  const choose = (change: Parameters<typeof recordAddress>[1]) => void navigate(recordAddress(query, change))
  const filters = [
    { filter: "person", name: "Person", none: "Everybody", choices: [...people] },
    { filter: "operation", name: "Operation", none: "Everything", choices: operationNames },
    { filter: "outcome", name: "Outcome", none: "Any outcome", choices: outcomeNames },
  ] as const
  return (
    <div className={styles["controls"]}>
      {filters.map(({ filter, ...choice }) => (
        <Choice key={filter} {...choice} value={query[filter]} onChange={(value) => choose({ [filter]: value })} />
      ))}
      <WorkField work={query.work ?? ""} onChoose={(work) => choose({ work })} />
      {query.item !== undefined && (
        <span className={styles["control"]}>
          <span>
            Only the item <Identifier value={query.item} />
          </span>
          <Link to={recordAddress(query, { item: undefined })} className="underlined">
            Show every item
          </Link>
        </span>
      )}
      {Object.keys(query).length > 0 && (
        <ButtonLink kind="plain" to="/record">
          Clear
        </ButtonLink>
      )}
    </div>
  )
}

/** A field for the id of a Work. It takes effect at Enter, or when the person leaves the field. */
function WorkField({ work, onChoose }: { work: string; onChoose: (work: string) => void }) {
  const id = useId()
  const [text, setText] = useState(work)
  const [shown, setShown] = useState(work)
  if (shown !== work) {
    setShown(work)
    setText(work)
  }
  const apply = () => text.trim() !== work && onChoose(text.trim())
  return (
    <form
      className={styles["control"]}
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      <label htmlFor={id}>Work</label>
      <input
        id={id}
        type="text"
        placeholder="Id of the Work"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={apply}
      />
    </form>
  )
}
