/** How the app writes to the desk itself (below `/desk`). A write to the service is an intent (`send-intent.ts`). */
import { type QueryKey, useMutation, type UseMutationResult, useQueryClient } from "@tanstack/react-query"
import { useId } from "react"
import { stringifyJson } from "../../contract/int64.ts"
import { DeskError } from "./desk-error.ts"
import { answerOf, askDesk, checkedBy, etagOf, jsonOf } from "./desk-request.ts"
import type { Schema } from "./value-schema.ts"

/**
 * A write to the desk. While it is under way, `isPending` is true, the control that sent it is inactive, and `mutate` does nothing. After a failure, the page
 * shows `error` beside that control, in an `ErrorAlert` that says what was kept. The next write clears it.
 *
 * @param write sends the write, and throws a DeskError
 * @param options `stale`: the key of what is read again afterwards; `onDone` is called before that; `queue`: writes with this name are sent one after the
 *   other, and none is left out
 */
export function useDeskMutation<Result, Input = void>(
  write: (input: Input) => Promise<Result>,
  { stale, onDone, queue }: { stale?: QueryKey; onDone?: (result: Result) => void; queue?: string } = {},
): UseMutationResult<Result, DeskError, Input> {
  const client = useQueryClient()
  const mutationKey = [useId()]
  const mutation = useMutation<Result, DeskError, Input>({
    mutationKey,
    networkMode: "always",
    ...(queue !== undefined && { scope: { id: queue } }),
    mutationFn: write,
    throwOnError: (error) => !(error instanceof DeskError),
    onSuccess: (result) => {
      onDone?.(result)
      return stale === undefined ? undefined : client.invalidateQueries({ queryKey: stale })
    },
  })
  return {
    ...mutation,
    mutate: (...input) => {
      // The second click of a double click comes before React knows of the first.
      if (queue !== undefined || client.isMutating({ mutationKey }) === 0) mutation.mutate(...input)
    },
  }
}

/** How often a change is tried before the 412 of the last attempt is thrown. */
const ATTEMPTS = 5

/**
 * Reads a value with its ETag, applies `change`, writes the result and returns it. If another tab or browser was faster, the desk refuses (412), and
 * the change is applied to the newer value.
 *
 * @throws DeskError
 */
export async function changeAtDesk<Value>(
  address: string,
  schema: Schema<Value>,
  change: (value: Value) => Value,
): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    const before = await askDesk(address)
    const answer = await jsonOf(before)
    // The schema may drop the member `etag`.
    const etag = etagOf(answer, before)
    const value = change(checkedBy(schema, answer, before))
    try {
      const request = jsonRequest("PUT", value, etag === undefined ? {} : { "if-match": etag })
      return await answerOf(await askDesk(address, request), schema)
    } catch (error) {
      if (!(error instanceof DeskError) || error.failure !== "stale" || attempt === ATTEMPTS) throw error
    }
  }
}

/** A request with a JSON body, for `askDesk`. */
export function jsonRequest(method: "PUT" | "POST", body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method, headers: { ...headers, "content-type": "application/json" }, body: stringifyJson(body) }
}
