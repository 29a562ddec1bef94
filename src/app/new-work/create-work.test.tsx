import { cleanup, render, screen } from "@testing-library/react"
import { afterEach, expect, test } from "vitest"
import { steadyNow } from "../client/clock.ts"
import { setOwner } from "../client/storage.ts"
import { DeskError } from "../client/desk-error.ts"
import { CreateOutcome } from "./create-work.tsx"

setOwner("local")
afterEach(cleanup)

/** Renders a request that the service has asked to wait for `seconds`, and returns what is said. */
function showWaiting(seconds: number): string {
  const since = steadyNow()
  const error = new DeskError({
    kind: "problem",
    title: "Too many requests",
    detail: "",
    code: "RATE",
    status: 429,
    retryable: true,
    retryAt: since + seconds * 1_000,
  })
  const input = { colleague_id: "analyst", objective: "Count the rows" }
  const work = {
    intent: { state: "refused", key: "k", input, since, error },
    unchanged: true,
    create: () => {},
    sendAgain: () => {},
  } as const
  render(<CreateOutcome work={work} />)
  return screen.getByRole("alert").textContent
}

test("during a pause that the service wants, the button says for how long it waits, and nothing is sent by itself", () => {
  expect(showWaiting(600)).toMatch(/You can send it in \d+ min/)
  expect(screen.getByRole("button", { name: "Send again" }).getAttribute("aria-disabled")).toBe("true")
})
