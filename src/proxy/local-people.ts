import { operations } from "../contract/document.ts"
import type { People, Session } from "../people/people.ts"

/** A desk without sign-in: everybody who reaches it is the one person `local`, with every role. */
export function localPeople(): People {
  const session: Session = {
    id: "local",
    person: {
      id: "local",
      name: "local",
      roles: ["reader", "answerer", "delegator", "approver"],
      operations: Object.values(operations).map(({ id }) => id),
    },
    identity: { issuer: "local", subject: "local", groups: [] },
    authenticatedAt: undefined,
    endsAt: null,
  }
  const identified = Promise.resolve(session)
  return {
    mode: "local",
    identify: () => identified,
    forbid: () => undefined,
    access: () => ({ contact: null, roles: { reader: [], answerer: [], delegator: [], approver: [] }, rules: [] }),
    onSessionEnd: () => () => undefined,
    signIn: undefined,
    stop: () => Promise.resolve(),
  }
}
