import { useId } from "react"
import { Link } from "react-router"
import type { Role, SignedIn } from "../../contract/desk-people.ts"
import { useDeskMutation } from "../client/desk-writes.ts"
import { signOut, switchPerson } from "../client/person.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import styles from "./person-area.module.css"

const ROLE_WORDS: Readonly<Record<Role, string>> = {
  reader: "Reader: reads Work and the record",
  answerer: "Answerer: answers what colleagues ask",
  delegator: "Delegator: creates Work",
  approver: "Approver: approves and declines",
}

/** The menu of the person in sign-in mode: name, roles, and the ways to sign out. */
export function PersonArea({ person }: Pick<SignedIn, "person">) {
  const { name, email, roles } = person
  const menuId = useId()
  return (
    <div className={styles["person"]}>
      <button type="button" className={styles["button"]} popoverTarget={menuId}>
        <span className={styles["initials"]} aria-hidden="true">
          {initialsOf(name)}
        </span>
        <span className={styles["name"]}>
          <OutsideText>{name}</OutsideText>
        </span>
      </button>
      <div id={menuId} popover="auto" className={styles["menu"]}>
        <div>
          <strong>
            <OutsideText>{name}</OutsideText>
          </strong>
          {email !== undefined && (
            <div className="small soft">
              <OutsideText>{email}</OutsideText>
            </div>
          )}
        </div>
        <ul className="small" aria-label="Roles">
          {roles.map((role) => (
            <li key={role}>{ROLE_WORDS[role]}</li>
          ))}
        </ul>
        <Link to="/notices" className={styles["link"]} onClick={() => document.getElementById(menuId)?.hidePopover()}>
          Notices
        </Link>
        <SignOutButtons />
      </div>
    </div>
  )
}

/** The first letters of the first and the last word. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen
    .map((word = "") => /^\p{L}/u.exec(word)?.[0] ?? "")
    .join("")
    .toUpperCase()
}

/** The two ways to sign out. */
export function SignOutButtons() {
  const leave = useDeskMutation((way: () => Promise<void>) => way())
  // After a success the browser opens another page.
  const isLeaving = leave.isPending || leave.isSuccess
  return (
    <>
      <div className="row">
        <Button disabled={isLeaving} onClick={() => leave.mutate(switchPerson)}>
          Switch person
        </Button>
        <Button disabled={isLeaving} onClick={() => leave.mutate(signOut)}>
          Sign out
        </Button>
      </div>
      <ErrorAlert error={leave.error} kept="You are still signed in." compact />
    </>
  )
}
