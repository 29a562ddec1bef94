import { stringifyJson } from "../../contract/int64.ts"
import { type Decided, useDecided } from "../inbox/decided.ts"
import { Button, ButtonLink } from "../ui/button.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { Fact, Facts } from "../ui/facts.tsx"
import { Identifier } from "../ui/identifier.tsx"
import { Link } from "../ui/link.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { PageBar } from "../ui/page-bar.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { saveFile } from "../ui/save-file.ts"
import { Status } from "../ui/status.tsx"
import styles from "./approvals.module.css"

/** What was decided and answered from this browser, to be looked up and taken away. */
export function DecidedList() {
  const decided = useDecided()
  return (
    <>
      <PageBar title="Decided here">
        <Button onClick={() => exportJson(decided)} disabled={decided.length === 0}>
          Export JSON
        </Button>
      </PageBar>
      <p className={styles["home"]}>
        <ButtonLink kind="plain" size="small" to="/approvals">
          All approvals
        </ButtonLink>
      </p>
      {decided.length === 0 ? (
        <EmptyState title="Nothing decided yet">
          What you approve, decline or answer from this browser appears here, with its version and time.
        </EmptyState>
      ) : (
        <ul className={styles["decided"]}>
          {decided.map((entry) => (
            <li key={entry.idempotency_key} className={styles["entry"]}>
              <Entry entry={entry} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

const OUTCOMES = {
  approve: { tone: "good", icon: "done", word: "Approved" },
  decline: { tone: "bad", icon: "close", word: "Declined" },
  answer: { tone: "neutral", icon: "needs-you", word: "Answered" },
} as const satisfies Record<Decided["what"], object>

function Entry({ entry }: { entry: Decided }) {
  const { what, when, work_id: workId, version, text, request_id, idempotency_key, already_recorded, result } = entry
  const outcome = OUTCOMES[what]
  const actor = result.resolution_actor ?? result.resolved_by
  return (
    <>
      <h2>
        <OutsideText>{result.summary ?? result.title ?? result.id}</OutsideText>
      </h2>
      <Facts>
        <Fact name="What">
          <Status tone={outcome.tone} icon={outcome.icon}>
            {outcome.word}
            {already_recorded && ", already recorded"}
          </Status>
        </Fact>
        <Fact name="When">
          <RelativeTime at={result.resolved_at ?? when} />
          {actor !== undefined && (
            <>
              {" "}
              by <OutsideText>{actor}</OutsideText>
            </>
          )}
        </Fact>
        {text !== "" && (
          <Fact name={what === "answer" ? "Answer" : "Comment"}>
            <OutsideText multiline>{text}</OutsideText>
          </Fact>
        )}
        <Fact name="Version">
          {String(version)} read, {String(result.version)} recorded
        </Fact>
        <Fact name="Work">
          <Link to={`/work/${encodeURIComponent(workId)}`}>
            <Identifier value={workId} />
          </Link>
        </Fact>
        {request_id !== null && (
          <Fact name="Request ID">
            <Identifier value={request_id} copyable="Request ID" />
          </Fact>
        )}
        <Fact name="Key">
          <Identifier value={idempotency_key} copyable="key" />
        </Fact>
      </Facts>
    </>
  )
}

/** Saves the list as a file; int64 stays a bare integer, exact. */
function exportJson(decided: readonly Decided[]): void {
  const content = new Blob([stringifyJson(decided, 2)], { type: "application/json" })
  saveFile(content, `workdesk-decided-${new Date().toISOString().slice(0, 10)}.json`)
}
