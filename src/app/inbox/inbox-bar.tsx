import { useNavigate } from "react-router"
import { useSession } from "../client/session.ts"
import { Button } from "../ui/button.tsx"
import { Choice } from "../ui/list-parts.tsx"
import { type InboxView, writeInboxView } from "./inbox-lines.ts"
import styles from "./team.module.css"

/** The keys that take or set aside the chosen item, for `KeyHints`. In local mode one person has every item, so nobody takes one. */
export function useTeamHints(): readonly (readonly [keys: readonly string[], does: string])[] {
  const isShared = useSession()?.mode === "sign-in"
  return [...(isShared ? [[["T"], "take"] as const] : []), [["S"], "set aside"]]
}

const choices = { All: undefined, Mine: "mine", Free: "free" } as const

type Props = {
  page: "/needs-you" | "/approvals"
  view: InboxView
  /** Whether some item has a time by which it is to be decided. Without such an item there is nothing to sort by. */
  hasDecideBy: boolean
}

/** The choices of what the list shows, and in which order. Local mode has no choice of `For`, because one person has every item. */
export function InboxBar({ page, view, hasDecideBy }: Props) {
  const navigate = useNavigate()
  const isShared = useSession()?.mode === "sign-in"
  const show = (change: Partial<InboxView>) => {
    const query = writeInboxView({ ...view, ...change })
    void navigate(page + (query && `?${query}`), { replace: true })
  }
  return (
    <>
      {isShared && (
        <fieldset aria-label="For" className={styles["pressed"]}>
          {Object.entries(choices).map(([name, only]) => {
            const isPressed = view.only === only
            return (
              <Button key={name} kind="plain" size="small" aria-pressed={isPressed} onClick={() => show({ only })}>
                {name}
              </Button>
            )
          })}
        </fieldset>
      )}
      {(hasDecideBy || view.sort !== undefined) && (
        <Choice
          name="Sort"
          value={view.sort}
          none="Oldest first"
          choices={[["by", "Decide by"]]}
          onChange={(sort) => show({ sort })}
        />
      )}
    </>
  )
}
