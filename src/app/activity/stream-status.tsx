import type { DeskError, Failure } from "../client/desk-error.ts"
import { wordsFor } from "../ui/error-words.ts"
import { Countdown } from "../ui/clocks.tsx"
import { SILENCE_MS } from "./event-connection.ts"
import type { FollowState, ReconnectReason } from "./follow-work.ts"
import { PERMITS } from "./stream-permit.ts"
import styles from "./stream-status.module.css"

type Props = {
  state: FollowState
  /** How many events arrived since the person paused the feed; undefined while the feed is not paused. */
  pausedWith: number | undefined
}

/**
 * Whether the feed is current, as a status that begins with its word. The symbol before the word is hidden from assistive
 * technology.
 */
export function StreamStatus({ state, pausedWith }: Props) {
  const isPaused = pausedWith !== undefined && state.name !== "stopped"
  return (
    <output className={styles["status"]}>
      <span aria-hidden="true" className={styles["symbol"]} data-state={isPaused ? "paused" : state.name} />
      <span>{isPaused ? <Paused state={state} more={pausedWith} /> : <Words state={state} />}</span>
    </output>
  )
}

function Paused({ state: { name }, more }: { state: FollowState; more: number }) {
  const isDown = name !== "live" && name !== "connecting"
  return (
    <>
      Paused
      {/* A screen reader does not read each number aloud: the person has asked for quiet. */}
      <span aria-live="off">, {more} more</span>
      {isDown && ". The connection is down"}
    </>
  )
}

function Words({ state }: { state: FollowState }) {
  switch (state.name) {
    case "connecting":
      return "Connecting…"
    case "live":
      return "Live"
    case "reconnecting": {
      const why = state.error === undefined ? reasons[state.reason] : refusalWords(state.error)
      if (state.until === undefined) return `Reconnecting… ${why}`
      return (
        <>
          Reconnecting <Countdown until={state.until} />. {why}
        </>
      )
    }
    case "paused":
      return state.reason === "hidden"
        ? "Paused while this tab is hidden. No event is lost."
        : `Paused here: ${String(PERMITS)} other windows are live. No event is lost.`
    case "stopped":
      return `Stopped. ${stopWords(state.error)}`
  }
}

const reasons: Readonly<Record<ReconnectReason, string>> = {
  cut: "The connection was cut.",
  late: `Nothing was heard for ${String(SILENCE_MS / 1000)} s.`,
  offline: "This browser is offline.",
  refused: "",
  shown: "Reading the events since then.",
}

/** Plain words for a refusal after which the feed tries again. The Problem's own words stand in an alert below the status. */
function refusalWords(error: DeskError): string {
  if (error.code === "PROXY_STREAMS_BUSY") return "All event streams of this desk are in use."
  // streamWorkEvents answers 429 also where a credential has too many streams open. Then there were not too many requests.
  if (error.failure === "too-many") return "The service allows no further event stream at the moment."
  return wordsFor(error).happened
}

const stops: Readonly<Partial<Record<Failure, string>>> = {
  unauthenticated: "The service no longer accepts the credential.",
  forbidden: "This account is not allowed to follow this Work.",
  "not-visible": "This Work is not visible to this account.",
}

/** Plain words for a refusal that ends the stream. */
function stopWords({ failure }: DeskError): string {
  return (failure && stops[failure]) ?? "This Work cannot be followed."
}
