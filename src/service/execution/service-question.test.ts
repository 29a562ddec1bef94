import { expect, test } from "vitest"
import { wantsEnd } from "./service-question.ts"

test.each(["end", "End it", "Please end", "End this Work, and delegate it again with other inputs.", "No. End it!"])(
  "%j ends the Work",
  (answer) => expect(wantsEnd(answer)).toBe(true),
)

test.each([
  "Begin again, there is no hurry.",
  "stop worrying, and try again",
  "Cancel the meeting and go on",
  "Finish it",
  "Do not end it",
  "don't end this Work",
  "Send it to the weekend desk",
  "",
])("%j does not end the Work", (answer) => expect(wantsEnd(answer)).toBe(false))
