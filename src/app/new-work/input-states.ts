/** The states of an input of a draft, from its upload and the last error. */
import type { InputUpload } from "../../contract/resources.ts"
import type { DeskError } from "../client/desk-error.ts"
import type { Intent } from "../client/stored-intent.ts"
import type { DraftInput } from "./work-draft.ts"
import { lookUp } from "../ui/look-up.ts"
import type { Look } from "../ui/status.tsx"

type State = Look & {
  /** Whether the input may still become ready by itself. */
  readonly isPending?: true
  /** Whether this upload can never be attached to a Work, so that the file has to be sent again. */
  readonly needsNewUpload?: true
}

/**
 * The states of an input in their order in time: before the input is sent, the states of its intent, and the states of its upload in the API.
 *
 * - `unfit`: the input cannot be sent. `kindless`: its media type is not chosen. `gone`: the browser does not keep its content any more.
 * - `sending`: the input is being sent, or `useInputs` of input-uploads.ts is about to send it.
 * - `reading`: the upload is being read. `lost`: the upload is not there any more.
 */
const inputStates = {
  unfit: { tone: "bad", icon: "warning", word: "Not sent" },
  kindless: { tone: "warn", icon: "unknown", word: "Not sent: choose its type" },
  gone: { tone: "bad", icon: "warning", word: "Lost" },
  sending: { tone: "neutral", icon: "working", word: "Sending", isPending: true },
  unknown: { tone: "warn", icon: "unknown", word: "Outcome unknown" },
  refused: { tone: "bad", icon: "warning", word: "Refused" },
  reading: { tone: "neutral", icon: "working", word: "Checking its state", isPending: true },
  lost: { tone: "bad", icon: "warning", word: "Not found", needsNewUpload: true },
  processing: { tone: "neutral", icon: "working", word: "Being scanned", isPending: true },
  ready: { tone: "good", icon: "done", word: "Ready" },
  scan_failed: { tone: "bad", icon: "warning", word: "Scan failed" },
  failed: { tone: "bad", icon: "warning", word: "Failed" },
  expired: { tone: "warn", icon: "clock", word: "Expired", needsNewUpload: true },
  consumed: { tone: "warn", icon: "done", word: "Used", needsNewUpload: true },
} as const satisfies Readonly<Record<string, State>>

export type InputState = keyof typeof inputStates

export type Input = {
  readonly draft: DraftInput
  /** Also a state that only the service knows. The row shows such a state as it is. */
  readonly state: InputState
  readonly upload: InputUpload | undefined
  readonly error: DeskError | undefined
}

/** What is known of `state`; undefined for a state that only the service knows. */
export const lookOf = (state: InputState): State | undefined => lookUp<State>(inputStates, state)

export const isPending = ({ state }: Input): boolean => lookOf(state)?.isPending === true

/** Whether an input is not ready and does not become ready by itself. */
export const isStuck = (input: Input): boolean => input.state !== "ready" && !isPending(input)

/** The state of an input that has no upload: by its intent, and without an intent by what prevents sending it. */
export function stateBeforeUpload(
  { problem, mediaType }: DraftInput,
  intent: Intent<unknown, unknown>["state"] | undefined,
  hasContent: boolean,
): InputState {
  if (intent !== undefined) return intent === "confirmed" ? "reading" : intent
  if (problem !== undefined) return "unfit"
  if (!hasContent) return "gone"
  return mediaType === undefined ? "kindless" : "sending"
}

/** The state of an input that has an upload. After an error the state that was read last still holds. */
export function stateOfUpload(upload: InputUpload | undefined, error: DeskError | undefined): InputState {
  if (error?.failure === "not-visible") return "lost"
  if (upload?.status === "failed" && upload.processing_state === "scan_failed") return "scan_failed"
  return upload?.status ?? "reading"
}
