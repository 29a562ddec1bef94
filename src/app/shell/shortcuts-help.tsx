import { useId, useState } from "react"
import { Kbd } from "../ui/kbd.tsx"
import { modKey, useSingleKeys } from "../ui/shortcuts.ts"
import { Button } from "../ui/button.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { Fact, Facts } from "../ui/facts.tsx"
import styles from "./shortcuts-help.module.css"

const keys: readonly (readonly [does: string, keys: readonly string[]])[] = [
  ["Next", ["J"]],
  ["Previous", ["K"]],
  ["Open the selected Work", ["Enter"]],
  ["Move within a focused list", ["↑", "↓", "Home", "End"]],
  ["Find in the list", ["/"]],
  ["Approve, decline, ask for a change", ["A", "D", "C"]],
  ["Take an item, set it aside", ["T", "S"]],
  ["Send or confirm", [modKey, "Enter"]],
  ["Go to a page, Work or an action", [modKey, "K"]],
  ["Close a dialog", ["Esc"]],
  ["Show this help", ["?"]],
]

const singleKeys = keys
  .flatMap(([, combination]) => (combination.includes(modKey) ? [] : combination))
  .filter((key) => /^[A-Z/?]$/.test(key))

/** Every shortcut of Workdesk. While the person types, only those with Ctrl or ⌘ act, and Esc. */
export function ShortcutsHelp({ onClose }: { onClose: () => void }) {
  const [areOn, change] = useSingleKeys()
  const [isKept, setIsKept] = useState(true)
  const id = useId()
  return (
    <Dialog title="Keyboard shortcuts" onCancel={onClose} focusTitle>
      <Facts>
        {keys.map(([does, combination]) => (
          <Fact key={does} name={does}>
            {combination.map((key) => (
              <span key={key}>
                <Kbd>{key}</Kbd>{" "}
              </span>
            ))}
          </Fact>
        ))}
      </Facts>
      <div className={styles["option"]}>
        <input
          id={id}
          type="checkbox"
          checked={areOn}
          aria-describedby={`${id}-about`}
          onChange={(event) => setIsKept(change(event.target.checked))}
        />
        <label htmlFor={id}>Single-key shortcuts</label>
        <p id={`${id}-about`}>
          {new Intl.ListFormat("en-GB").format(singleKeys)} work as soon as you press them. Turn them off if they get in
          the way.
        </p>
        {!isKept && <p role="alert">This browser can't save your choice. It lasts until you reload the page.</p>}
      </div>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  )
}
