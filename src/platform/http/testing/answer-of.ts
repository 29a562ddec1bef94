/** The result of `work`, or what the client gets when `work` refuses. */
import type { Refusal } from "../refusals.ts"
import { type Answer, Refused } from "../send.ts"

export async function answerOf<Result>(work: Promise<Result>): Promise<Result | Answer | Refusal> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refused) return error.answer
    throw error
  }
}
