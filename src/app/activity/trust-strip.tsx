import { useSyncExternalStore } from "react"
import { wordsFor } from "../ui/error-words.ts"
import type { FollowState } from "./follow-work.ts"
import { SILENCE_MS, type ReconnectReason } from "./event-stream.ts"
import styles from "./trust-strip.module.css"

type Props = {
  state: FollowState
  /** How many events came since the person paused the feed; undefined while it is not paused. */
  pausedWith: number | undefined
}

/**
 * Whether the feed can be trusted to be current, as a status that begins with its word. The symbol before it is empty, and
 * hidden from assistive technology.
 */
export function TrustStrip({ state, pausedWith }: Props) {
  const isPaused = pausedWith !== undefined && state.name !== "stopped"
  return (
    <output className={styles["strip"]}>
      <span aria-hidden="true" className={styles["symbol"]} data-state={isPaused ? "paused" : state.name} />
      <span>{isPaused ? <PausedByPerson state={state} more={pausedWith} /> : <Words state={state} />}</span>
    </output>
  )
}

function PausedByPerson({ state, more }: { state: FollowState; more: number }) {
  return (
    <>
      Paused, {more} more{state.name === "live" || state.name === "connecting" ? "" : ". The connection is down"}
    </>
  )
}

function Words({ state }: { state: FollowState }) {
  switch (state.name) {
    case "connecting":
      return "Connecting…"
    case "live":
      return "Live"
    case "reconnecting":
      return (
        <>
          Reconnecting{state.until === undefined ? "…" : <SecondsUntil moment={state.until} />} {reasons[state.reason]}{" "}
          {state.error && wordsFor(state.error).happened}
        </>
      )
    case "paused":
      return state.reason === "hidden"
        ? "Paused while hidden. Nothing is lost."
        : "Paused here: four other windows are live. Nothing is lost."
    case "stopped":
      return `Stopped. ${stopped[state.error.status ?? 0] ?? "This cannot be followed."}`
  }
}

const reasons: Readonly<Record<ReconnectReason, string>> = {
  cut: "The connection was cut.",
  late: `Nothing was heard for ${String(SILENCE_MS / 1000)} s.`,
  offline: "This browser is offline.",
  refused: "",
  shown: "Catching up.",
}

const stopped: Readonly<Record<number, string>> = {
  401: "The credential is not accepted any more.",
  403: "Following this Work is not allowed.",
  404: "This Work is not visible to this account.",
}

/** The seconds are not announced one by one: a timer is a live region that is off. */
function SecondsUntil({ moment }: { moment: number }) {
  const seconds = useSyncExternalStore(everyHalfSecond, () => Math.ceil((moment - performance.now()) / 1000))
  return <span role="timer">{seconds > 0 ? ` in ${String(seconds)} s.` : "…"}</span>
}

function everyHalfSecond(listener: () => void): () => void {
  const timer = setInterval(listener, 500)
  return () => clearInterval(timer)
}
