import { cleanup, render, screen } from "@testing-library/react"
import { afterEach, expect, test } from "vitest"
import { steadyNow } from "../client/clock.ts"
import { setOwner } from "../client/storage.ts"
import { DeskError, unreachable } from "../client/desk-error.ts"
import { CreateOutcome } from "./create-outcome.tsx"

setOwner("local")
afterEach(cleanup)

const input = { colleague_id: "analyst", objective: "Count the rows" }
const rest = { unchanged: true, create: () => {}, sendAgain: () => {} } as const

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
  const work = { intent: { state: "refused", key: "k", input, since, error }, ...rest } as const
  render(<CreateOutcome work={work} />)
  return screen.getByRole("alert").textContent
}

test("during a pause that the service wants, the button says for how long it waits, and nothing is sent by itself", () => {
  expect(showWaiting(600)).toMatch(/You can send it in \d+ min/)
  expect(screen.getByRole("button", { name: "Send again" }).getAttribute("aria-disabled")).toBe("true")
})

test("while something is frozen, Work that may have been created cannot be sent again, and the button says why", () => {
  const intent = { state: "unknown", key: "k", input, since: 0, error: unreachable() } as const
  const sent: string[] = []
  const work = { intent, ...rest, sendAgain: () => void sent.push("again") }
  const { rerender } = render(<CreateOutcome work={work} whyNotAgain="Dora has frozen this desk." />)
  const again = screen.getByRole("button", { name: "Send again" })
  again.click()
  expect(sent).toEqual([])
  expect(document.getElementById(again.getAttribute("aria-describedby") ?? "")?.textContent).toBe(
    "Dora has frozen this desk.",
  )
  rerender(<CreateOutcome work={work} />)
  screen.getByRole("button", { name: "Send again" }).click()
  expect(sent).toEqual(["again"])
})
