import type { Role, SignedIn } from "../../contract/desk-people.ts"
import { useDeskMutation } from "../client/desk-writes.ts"
import { signOut, switchPerson } from "../client/person.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { OutsideText } from "../ui/outside-text.tsx"

const ROLE_WORDS: Readonly<Record<Role, string>> = {
  reader: "Reader: reads Work and the record",
  answerer: "Answerer: answers colleagues' questions",
  delegator: "Delegator: creates Work",
  approver: "Approver: approves or declines requests",
}

/** Who the person is and what they may do. */
export function Person({ person: { name, email, roles } }: Pick<SignedIn, "person">) {
  return (
    <>
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
    </>
  )
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
      <ErrorAlert error={leave.error} kept="You're still signed in." compact />
    </>
  )
}
