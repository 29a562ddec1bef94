/** Chooses rows of alike letters and decides them together. Nothing is sent for a row that isn't on the screen in the version that is sent. */
import { useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useCallback, useImperativeHandle, useRef, useState, useSyncExternalStore } from "react"
import { string } from "valibot"
import { type Chooser, choiceFacts, type RowFacts, whyChoiceGoes, whyNotChosen } from "./row-choice.ts"
import { causeOf, createTogether, type Decision, type Run, type SendOutcome, type Turn } from "./send-together.ts"
import { TogetherDialog } from "./together-dialog.tsx"
import { approvalVariant } from "../approvals/approval.ts"
import { useStore } from "../client/create-store.ts"
import type { DeskError } from "../client/desk-error.ts"
import { followIntents, sendIntent } from "../client/send-intent.ts"
import { useSession } from "../client/session.ts"
import { defineKind, useDraft } from "../client/storage.ts"
import { type Intent, retryAtOf } from "../client/stored-intent.ts"
import { workKey } from "../client/work-reads.ts"
import { CHANGED_BY_BROWSER } from "../inbox/item-variant.ts"
import { refusalOf } from "../inbox/item-state.ts"
import type { DecisionInput, ItemId, Resolved } from "../inbox/item.ts"
import { decisionSender } from "../inbox/use-decision.ts"
import { useIsWaiting } from "../ui/clocks.tsx"
import { wordsFor } from "../ui/error-words.tsx"

/** What a row says, and whether it can be chosen. The texts may contain words from outside. */
export type RowState =
  | { readonly kind: "free" | "chosen" }
  /** The row can't be chosen. */
  | { readonly kind: "blocked"; readonly why: string }
  /** The row was chosen, and its choice went. */
  | { readonly kind: "changed"; readonly what: string; readonly canChoose: boolean }
  /** Confirmed in the dialog; its turn has not come. */
  | { readonly kind: "waiting" }
  | { readonly kind: "sending" | "done"; readonly decision: Decision }
  | { readonly kind: "held" }
  | { readonly kind: "refused"; readonly why: string; readonly canChoose: boolean }
  | { readonly kind: "unknown"; readonly why: string }

type Options = {
  /** Whether the card still shows what the app wrote. */
  readonly isIntact: boolean
  /** Whether the window is wide enough. */
  readonly isOffered: boolean
  /** Called with the key of a row that was decided here, or whose approve the desk holds. */
  readonly onDecided: (key: string) => void
}

/** The chosen rows, in no order, and why the choice of others went. */
type Choices = { readonly chosen: readonly string[]; readonly gone: Readonly<Record<string, string>> }

/** What the screen says at the turn of a row. */
type Screen = {
  readonly rows: readonly RowFacts[]
  readonly chosen: readonly string[]
  readonly me: Chooser
  readonly whyNothing: string | undefined
}

/** The comment that is typed for several letters, by the first letter of their card. */
const comments = defineKind<ItemId, string>({ name: "together-comment", schema: string(), keptDays: 90 })

/**
 * The choice of rows, and what happens to them. `ask` opens the dialog `dialog`, which decides; where `whyNot` is defined, `ask` does nothing. The
 * card renders `dialog` inside what `useIntact` watches, and outside what it follows as read.
 */
export function useTogether(rows: readonly RowFacts[], { isIntact, isOffered, onDecided }: Options) {
  const client = useQueryClient()
  const me = useSession()
  const [together] = useState(createTogether)
  const { run, stopped, held } = useStore(together.store)
  const intents = useIntents(rows)
  const isPausing = useIsWaiting(Math.max(0, ...intents.map((intent) => retryAtOf(intent) ?? 0)))
  const [choices, setChoices] = useState<Choices>({ chosen: [], gone: {} })
  const [asked, setAsked] = useState<{ readonly decision: Decision; readonly keys: readonly string[] }>()
  const draft = comments(...(rows[0]?.id ?? ["", ""]))
  const [text, setText] = useDraft(draft)

  const kept = keepChoices(choices, rows, intents, run, me)
  // To set state while rendering is React's pattern for state that is derived from earlier renders.
  if (kept !== choices) setChoices(kept)
  const whyNothing = isOffered ? (isIntact ? undefined : CHANGED_BY_BROWSER) : "This window is too narrow."
  // A dialog that was closed by something else must not open by itself afterwards.
  if (asked !== undefined && !isOffered) setAsked(undefined)

  const stateOfRow = (row: RowFacts, intent: DecisionIntent): RowState => {
    const { key } = row
    const isChosen = kept.chosen.includes(key)
    if (run?.current === key) return { kind: "sending", decision: run.decision }
    if (held.includes(key)) return { kind: "held" }
    if (intent?.state === "sending") return { kind: "sending", decision: intent.input.decision }
    if (intent?.state === "confirmed") return { kind: "done", decision: intent.input.decision }
    if (intent?.state === "unknown") return { kind: "unknown", why: UNKNOWN }
    if (isChosen) return { kind: run?.rest.includes(key) === true ? "waiting" : "chosen" }
    const why = whyNotChosen(row, me)
    const canChoose = why === undefined && whyNothing === undefined
    if (intent !== undefined) {
      const isOutside = causeOf(intent.error) !== undefined && !isPausing
      return { kind: "refused", why: formatRefused(intent.error, row), canChoose: canChoose && isOutside }
    }
    const gone = kept.gone[key]
    if (gone !== undefined) return { kind: "changed", what: `No longer chosen. ${why ?? gone}`, canChoose }
    return why === undefined ? { kind: "free" } : { kind: "blocked", why }
  }
  const states = new Map(rows.map((row, index) => [row.key, stateOfRow(row, intents[index])]))
  const stateOf = (key: string): RowState => states.get(key) ?? { kind: "blocked", why: "No longer pending" }
  const canChoose = (key: string) => {
    const state = stateOf(key)
    if ("canChoose" in state) return state.canChoose
    return state.kind === "free" && whyNothing === undefined
  }
  const choose = (keys: readonly string[]) => {
    setChoices(({ chosen, gone }) => ({
      chosen: [...chosen, ...keys.filter((key) => !chosen.includes(key))],
      gone: Object.fromEntries(Object.entries(gone).filter(([key]) => !keys.includes(key))),
    }))
  }
  const unchoose = (key: string) =>
    setChoices(({ chosen, gone }) => ({ chosen: chosen.filter((each) => each !== key), gone }))

  const chosen = rows.filter(({ key }) => kept.chosen.includes(key))
  const whyFrozen = chosen.find((row) => row.whyFrozen !== undefined)?.whyFrozen
  const whyNotNow = whyNothing ?? whyFrozen
  const whyNotAsk = run === undefined ? undefined : "Decisions are being sent."
  const whyNot = whyNotAsk ?? (chosen.length === 0 ? "Choose letters first." : whyNotNow)

  const screen = useRef<Screen>(null)
  // The run looks at what the screen says at each turn, and not at what it said when the dialog was confirmed.
  useImperativeHandle(screen, () => ({ rows, chosen: kept.chosen, me, whyNothing }))
  const send = async (row: RowFacts, input: DecisionInput, id: string): Promise<SendOutcome> => {
    unchoose(row.key)
    approvalVariant.snapshots(...row.id).write(row.shown)
    const intent = approvalVariant.intents(...row.id)
    const sendAlone = decisionSender(client, approvalVariant, row.id, id)
    let isHeld = false
    await sendIntent(intent, input, async (sent, key) => {
      const answer = await sendAlone(sent, key)
      isHeld = answer === "held"
      return answer
    })
    const after = intent.read()
    if (isHeld || after?.state === "confirmed") onDecided(row.key)
    // What the card has read of the other letters stays: fifty reads after each of fifty decisions would use up the person's quota.
    void client.invalidateQueries({ queryKey: workKey(row.id[0]), refetchType: "none" })
    return { isHeld, cause: after !== undefined && "error" in after ? causeOf(after.error) : undefined }
  }
  const confirm = (decision: Decision, keys: readonly string[]) => {
    const id = crypto.randomUUID()
    const turnOf = (key: string): Turn => {
      const now = screen.current
      const row = now?.rows.find((each) => each.key === key)
      if (now === null || row === undefined || !now.chosen.includes(key)) return { kind: "skip" }
      const why = now.whyNothing ?? (whyChoiceGoes(row, now.me) === undefined ? row.whyFrozen : undefined)
      if (why !== undefined) return { kind: "stop", why }
      if (whyChoiceGoes(row, now.me) !== undefined || isSettling(intentOf(row))) return { kind: "skip" }
      return { kind: "send", send: () => send(row, { version: row.shown.version, text, decision }, id) }
    }
    void together.start(keys, decision, turnOf)
  }

  const dialog: ReactNode = asked && isOffered && (
    <TogetherDialog
      decision={asked.decision}
      rows={asked.keys.flatMap((key) => rows.find((row) => row.key === key) ?? [])}
      whyGone={(key) => (kept.chosen.includes(key) ? undefined : (kept.gone[key] ?? "It was decided elsewhere."))}
      whyNot={whyNotNow}
      facts={JSON.stringify(asked.keys.map((key) => factsOf(rows, kept.chosen, key)))}
      comment={{ text, setText, draft }}
      onConfirm={() => confirm(asked.decision, asked.keys)}
      onClose={() => setAsked(undefined)}
    />
  )
  return {
    stateOf,
    /** The keys of the chosen rows, in the order of the rows. */
    chosen: chosen.map(({ key }) => key),
    canChoose,
    toggle: (key: string) => {
      if (kept.chosen.includes(key)) unchoose(key)
      else if (canChoose(key)) choose([key])
    },
    chooseAllSeen: () => choose(rows.map(({ key }) => key).filter(canChoose)),
    ask: (decision: Decision) => {
      if (whyNot !== undefined) return
      together.clear()
      setAsked({ decision, keys: chosen.map(({ key }) => key) })
    },
    /** Why `ask` does nothing, in a sentence that may contain words from outside. */
    whyNot,
    run: run && { ...run, stop: together.stop },
    /** Why the rest was not sent, in sentences that may contain words from outside. */
    stopped,
    dialog,
  }
}

const UNKNOWN = "The decision may or may not have been recorded. Open it to send it again."

const formatRefused = (error: DeskError, { latest }: RowFacts): string => {
  const refusal = refusalOf(error)
  if (refusal === "resolved" || (refusal === "stale" && latest === undefined)) return "It was decided elsewhere."
  const { happened } = wordsFor(error)
  return happened === "" ? error.detail : happened
}

type DecisionIntent = Intent<DecisionInput, Resolved> | undefined

/** What was sent about the version on the screen from this browser, alone or together. */
function intentOf({ id, shown }: RowFacts): DecisionIntent {
  const intent = approvalVariant.intents(...id).read()
  if (intent?.state === "confirmed") return intent.result.version > shown.version ? intent : undefined
  if (intent?.state === "refused") return intent.input.version === shown.version ? intent : undefined
  return intent
}

/** Whether something was sent that may take effect. Only the person sends it again, from the item's own card. */
const isSettling = (intent: DecisionIntent): boolean => intent !== undefined && intent.state !== "refused"

/** `intentOf` each row, as it changes in any tab. */
function useIntents(rows: readonly RowFacts[]): readonly DecisionIntent[] {
  const read = () => rows.map(intentOf)
  const ids = JSON.stringify(rows.map(({ id }) => id))
  const follow = useCallback(
    (listener: () => void) => {
      const entries = (JSON.parse(ids) as readonly ItemId[]).map((id) => approvalVariant.intents(...id))
      return followIntents(entries, listener)
    },
    [ids],
  )
  // React compares the snapshots, so the intents are compared as a text.
  useSyncExternalStore(follow, () =>
    read()
      .map((intent) => (intent === undefined ? "" : `${intent.key} ${intent.state} ${intent.since}`))
      .join(),
  )
  return read()
}

/** The choices that are left. The same object if none has gone. */
function keepChoices(
  choices: Choices,
  rows: readonly RowFacts[],
  intents: readonly DecisionIntent[],
  run: Run | undefined,
  me: Chooser,
): Choices {
  const going = choices.chosen.filter((key) => {
    const index = rows.findIndex((row) => row.key === key)
    const row = rows[index]
    if (run?.current === key) return false
    return row === undefined || isSettling(intents[index]) || whyChoiceGoes(row, me) !== undefined
  })
  if (going.length === 0) return choices
  const gone = going.flatMap((key) => {
    const row = rows.find((each) => each.key === key)
    const why = row && whyChoiceGoes(row, me)
    return why === undefined ? [] : [[key, why] as const]
  })
  return {
    chosen: choices.chosen.filter((key) => !going.includes(key)),
    gone: { ...choices.gone, ...Object.fromEntries(gone) },
  }
}

/** What the dialog says about a row, as a text for `useArmed`. */
function factsOf(rows: readonly RowFacts[], chosen: readonly string[], key: string): string {
  const row = rows.find((each) => each.key === key)
  return `${String(chosen.includes(key))} ${row === undefined ? "" : choiceFacts(row)}`
}
