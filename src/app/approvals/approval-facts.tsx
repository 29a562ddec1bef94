/** What the team and the rules say about a pending approval, as lines above the letter. */
import type { DecisionFact } from "./before-you-decide.tsx"
import type { TeamFacts } from "../client/waiting.ts"
import { ApprovalsSoFar, Assigned, DecideBy } from "../inbox/claim-facts.tsx"
import { OutsideText } from "../ui/outside-text.tsx"

const NUMBERS = ["", "", "Two", "Three", "Four", "Five"]

/** The deadline, the approvals given, and who has the item, as far as there are any. */
export function teamFacts({ decide_by: by, approvals, assignment }: TeamFacts): readonly DecisionFact[] {
  const facts: DecisionFact[] = []
  if (by !== undefined) facts.push({ key: "due", icon: "clock", text: <DecideBy by={by} /> })
  if (approvals !== undefined) {
    const text = (
      <>
        {NUMBERS[approvals.needed] ?? approvals.needed} people must approve. <ApprovalsSoFar approvals={approvals} />
      </>
    )
    facts.push({ key: "approvals", icon: "approvals", text })
  }
  if (assignment !== undefined) facts.push({ key: "note", icon: "hand", text: <Assigned assignment={assignment} /> })
  return facts
}

/** Who has approved another version than the one on the screen. */
export function earlierFacts(approvals: TeamFacts["approvals"], version: bigint): readonly DecisionFact[] {
  // Until a newer version is shown, the desk counts an approval of the version on the screen as earlier.
  const earlier = approvals?.earlier.filter((given) => given.version !== String(version)) ?? []
  return earlier.map(({ person, version: approved }) => {
    const text = (
      <>
        <OutsideText>{`${person.name} approved version ${approved}.`}</OutsideText> This is version {String(version)}.
        That approval no longer counts.
      </>
    )
    return { key: `${person.id} ${approved}`, icon: "approvals", text }
  })
}
