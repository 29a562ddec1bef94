import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef } from "react"
import type { Approval, Attention } from "../../contract/resources.ts"
import { type Decided, noteDecided } from "./decided.ts"
import { DeskError } from "../client/desk-error.ts"
import type { IntentEntry, SendIntent } from "../client/intent.ts"
import { workKey } from "../client/keys.ts"
import { type Entry, useEntry } from "../client/storage.ts"
import { type IntentControls, useIntent } from "../client/use-intent.ts"

/** What a person sends about an item: bound to the version that was on the screen, with the text that was typed. */
export type ItemInput = { readonly version: bigint; readonly text: string }

type Item = Approval | Attention

export type ItemIntent<Input extends ItemInput, Result extends Item> = IntentControls<Input, Result> & {
  /** The item as it was on the screen when it was sent, where the service has not recorded that. */
  readonly seen: Result | undefined
  /** Sends what a person decided about `shown`. */
  readonly decide: (input: Input, shown: Result) => void
  /** The version on which the service refused to act, because the item had changed or is resolved. */
  readonly staleVersion: bigint | undefined
}

/** Where this browser keeps what belongs to an item: the text, what stood on the screen, and the intent. */
type ItemEntries<Input, Result> = {
  readonly draft: Entry<string>
  readonly snapshot: Entry<Result>
  readonly intent: IntentEntry<Input, Result>
}

/** The Request ID of the last failure under each key: the answer that ends well carries none. */
const requestIds = new Map<string, string>()

/**
 * The intent about an item of a Work, shared by all tabs. After every outcome the Work and the inboxes are read again; what was
 * recorded is kept in the list of what was decided from this browser, and its draft is forgotten.
 *
 * @param whatOf what `Decided.what` shall say
 * @param onRecorded called with the service's answer, in the tab that has sent it
 */
export function useItemIntent<Input extends ItemInput, Result extends Item>(
  entries: ItemEntries<Input, Result>,
  workId: string,
  send: SendIntent<Input, Result>,
  whatOf: (input: Input) => Decided["what"],
  onRecorded: (result: Result) => void,
): ItemIntent<Input, Result> {
  const client = useQueryClient()
  const seen = useEntry(entries.snapshot)
  const controls = useIntent(entries.intent, async (input, key) => {
    try {
      const answer = await send(input, key)
      noteDecided({
        what: whatOf(input),
        when: new Date().toISOString(),
        work_id: workId,
        version: input.version,
        text: input.text,
        request_id: requestIds.get(key) ?? null,
        idempotency_key: key,
        already_recorded: answer.replayed,
        result: answer.data,
      })
      if (entries.draft.read() === input.text) entries.draft.remove()
      entries.snapshot.remove()
      onRecorded(answer.data)
      return answer
    } catch (error) {
      if (error instanceof DeskError && error.requestId !== undefined) requestIds.set(key, error.requestId)
      throw error
    }
  })

  const { intent } = controls
  const before = useRef(intent?.state)
  useEffect(() => {
    if (before.current === intent?.state) return
    before.current = intent?.state
    if (intent === undefined || intent.state === "sending") return
    // In whichever tab it was sent: what follows from it is to be seen in all.
    void client.invalidateQueries({ queryKey: workKey(workId) })
    void client.invalidateQueries({ queryKey: ["inbox"] })
  }, [client, intent, workId])

  return {
    ...controls,
    seen: intent === undefined || intent.state === "recorded" ? undefined : seen,
    decide: (input, shown) => {
      entries.snapshot.write(shown)
      controls.send(input)
    },
    staleVersion: intent?.state === "refused" && meansStale(intent.error) ? intent.input.version : undefined,
  }
}

/** The version was old (412), or the item is not what it was: resolved (409) or no longer there (404). */
function meansStale({ status, code }: DeskError): boolean {
  return status === 412 || status === 404 || (status === 409 && code !== "IDEMPOTENCY_CONFLICT")
}
