import { type RefObject, useEffect, useRef } from "react"
import { useNavigate } from "react-router"
import { useShortcuts } from "../ui/shortcuts.ts"
import type { InboxLine } from "./inbox-lines.ts"
import type { InboxRow } from "./inbox-rows.ts"

/** Keys that choose the next and the previous item: J and K outside text fields, arrows while `list` has the focus. Both skip tombstones. */
export function useInboxKeys(
  rows: readonly InboxRow<InboxLine>[],
  selected: string | undefined,
  list: RefObject<HTMLElement | null>,
): void {
  const navigate = useNavigate()
  // A navigation takes a moment. The next key may come before its end, and then starts from the item that the last key chose.
  const focusWanted = useRef<string>(undefined)
  useEffect(() => {
    const giveUp = () => {
      focusWanted.current = undefined
    }
    addEventListener("pointerdown", giveUp)
    return () => removeEventListener("pointerdown", giveUp)
  }, [])
  useEffect(() => {
    if (selected === undefined || focusWanted.current !== selected) return
    focusWanted.current = undefined
    const link = list.current?.querySelector<HTMLElement>("a[aria-current]")
    link?.focus({ preventScroll: true })
    link?.scrollIntoView({ block: "nearest" })
  }, [selected, list])
  const move = (step: number) => {
    const from = focusWanted.current ?? selected
    const at = rows.findIndex(({ item }) => item.key === from)
    const ahead = step > 0 ? rows.slice(at + 1) : rows.slice(0, Math.max(at, 0)).toReversed()
    const next = ahead.find(({ gone }) => !gone)
    if (next === undefined) return
    focusWanted.current = next.item.key
    void navigate(next.item.to, { replace: selected !== undefined })
  }
  useShortcuts({ j: () => move(1), k: () => move(-1) }, { repeat: true })

  const latestMove = useRef(move)
  useEffect(() => {
    latestMove.current = move
  })
  useEffect(() => {
    const element = list.current
    const listen = (event: KeyboardEvent) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      latestMove.current(step)
    }
    element?.addEventListener("keydown", listen)
    return () => element?.removeEventListener("keydown", listen)
  }, [list])
}
