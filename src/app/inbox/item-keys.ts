/** Single keys that act on one of several items on a page. */
import { itemKey } from "./addresses.ts"
import type { ItemId } from "./item.ts"
import { type Shortcuts, useShortcuts } from "../ui/shortcuts.ts"

type Options = {
  /** Whether the keys act on this item when no card has the focus. */
  readonly current: boolean
  /** False switches the keys off. */
  readonly active?: boolean
}

/** Single keys that act on the item whose card has the focus, else on the current item. */
export function useItemKeys(id: ItemId, shortcuts: Shortcuts, { current, active = true }: Options): void {
  const handles = ({ target }: KeyboardEvent) => {
    const card = target instanceof Element ? target.closest<HTMLElement>("[data-card]") : null
    return card === null ? current : card.dataset["card"] === itemKey(id)
  }
  useShortcuts(shortcuts, { active, handles })
}
