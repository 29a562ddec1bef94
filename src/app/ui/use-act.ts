import { useDeskMutation } from "../client/desk-writes.ts"
import { useArmed } from "./use-armed.ts"

type Options<Result> = { readonly ready?: boolean; readonly onDone?: (result: Result) => void }

/**
 * A write to the desk about what the person saw: a version, an ETag or another text that names it. The write is armed for it, sends it, and knows no
 * newer one. A dialog has `SendingDialog` for that, and a decision, which is sent once and kept, `use-decision.ts`.
 */
export function useAct<Result, Input = void>(
  saw: string,
  write: (saw: string, input: Input) => Promise<Result>,
  { ready = true, onDone }: Options<Result> = {},
) {
  const { isPending, error, data, variables, mutate, reset } = useDeskMutation(
    ([seen, input]: readonly [string, Input]) => write(seen, input),
    onDone === undefined ? {} : { onDone },
  )
  const isArmed = useArmed(saw, ready && !isPending)
  return {
    isArmed,
    isPending,
    error,
    /** What the desk answered, until the next write. */
    result: data,
    /** What was sent last. */
    sent: variables?.[1],
    /** Removes the error of the last write, when the person does something else. */
    clear: reset,
    act: (input: Input) => {
      if (isArmed) mutate([saw, input])
    },
  }
}
