import { useDeskMutation } from "../client/desk-writes.ts"
import { signOut, switchPerson } from "../client/person.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"

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
