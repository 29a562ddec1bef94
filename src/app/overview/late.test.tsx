import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { cleanup, render, screen } from "@testing-library/react"
import { MemoryRouter } from "react-router"
import { afterEach, expect, test } from "vitest"
import type { Approval, Work } from "../../contract/resources.ts"
import { type Waiting } from "../client/waiting.ts"
import { writeWaiting } from "../client/write-waiting.ts"
import { Late } from "./overview-page.tsx"

afterEach(cleanup)

const HOUR = 3_600_000

test("approvals that should have been decided are counted, and lead to the list by that time", () => {
  const client = new QueryClient()
  const approvals = [-2 * HOUR, -HOUR, HOUR, undefined].map((ahead, index) => ({
    work: { id: "work_1" } as Work,
    item: { id: `approval_${index}`, work_id: "work_1", version: 1n } as Approval,
    ...(ahead !== undefined && { decide_by: new Date(Date.now() + ahead).toISOString() }),
  }))
  const waiting: Waiting = {
    clarifications: [],
    approvals,
    checked: 1,
    total: 1,
    oldest_check_at: null,
    complete: true,
  }
  writeWaiting(client, { waiting, error: undefined })
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <Late />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  expect(screen.getByRole("link", { name: "2 approvals are overdue" }).getAttribute("href")).toBe("/approvals")
})
