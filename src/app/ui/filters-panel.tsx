/** The filters of a list: the button `Filter`, the panel that it opens, and a chip for each active filter. */
import { type ReactNode, useId, useRef, useState } from "react"
import { Button } from "./button.tsx"
import { classes } from "./classes.ts"
import styles from "./filters-panel.module.css"
import { writeHidden } from "./hidden-characters.ts"
import { Icon } from "./icon.tsx"
import listStyles from "./list.module.css"
import { useShortcuts } from "./shortcuts.ts"
import { useIsPhone } from "./use-is-phone.ts"

/** An active filter, with the texts of its control. */
type ActiveFilter = { name: string; value: string; onRemove: () => void }

type Props = {
  active: readonly ActiveFilter[]
  /** The search field, which comes first. */
  find?: ReactNode
  /** The controls for sorting and grouping, which are always visible. On a phone they are in the panel. */
  visible?: ReactNode
  /** Buttons at the right that act on all matching rows. */
  action?: ReactNode
  className?: string | undefined
  /** The controls of the panel. Each change applies at once. */
  children: ReactNode
}

/** The controls of a list. The filters are in the panel `Filters`, which is in the page only while it is open. */
export function FiltersPanel({ active, find, visible, action, className, children }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  const isPhone = useIsPhone()
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const close = () => {
    setIsOpen(false)
    button.current?.focus()
  }
  useShortcuts({ Escape: close }, { active: isOpen })
  return (
    <div className={classes(listStyles["controls"], className)}>
      {find}
      {!isPhone && visible}
      {/* The controls have the focus. This element handles the key that bubbles up from them. */}
      <div
        role="presentation"
        className={styles["bar"]}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || !isOpen) return
          event.preventDefault()
          close()
        }}
      >
        <Button
          ref={button}
          size="small"
          aria-expanded={isOpen}
          {...(isOpen && { "aria-controls": id })}
          onClick={() => setIsOpen(!isOpen)}
        >
          Filter{active.length > 0 && <span className={styles["number"]}> {active.length}</span>}
        </Button>
        {isOpen && (
          <section id={id} aria-label="Filters" className={styles["panel"]}>
            {isPhone && visible}
            {children}
          </section>
        )}
      </div>
      {active.length > 0 && (
        <ul className={styles["chips"]} aria-label="Active filters">
          {active.map((filter) => (
            <Chip
              key={filter.name}
              {...filter}
              onRemove={() => {
                // Otherwise the focus would be lost together with the chip.
                button.current?.focus()
                filter.onRemove()
              }}
            />
          ))}
        </ul>
      )}
      {action !== undefined && <div className={listStyles["action"]}>{action}</div>}
    </div>
  )
}

function Chip({ name, value, onRemove }: ActiveFilter) {
  return (
    <li className={styles["chip"]}>
      <span className="soft">{name}</span> <span className={styles["value"]}>{writeHidden(value)}</span>
      <button
        type="button"
        aria-label={`Remove filter: ${writeHidden(`${name} ${value}`)}`}
        title="Remove filter"
        onClick={onRemove}
      >
        <Icon name="close" size={12} />
      </button>
    </li>
  )
}

/** The chip of a filter, with the text of the chosen value; none if the filter is not set. */
export function activeFilter<Value extends string>(
  name: string,
  value: Value | undefined,
  choices: readonly (readonly [value: Value, words: string])[],
  onRemove: () => void,
): readonly ActiveFilter[] {
  if (value === undefined) return []
  return [{ name, value: choices.find(([choice]) => choice === value)?.[1] ?? value, onRemove }]
}
