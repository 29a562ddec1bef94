import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { render, screen } from "@testing-library/react"
import { expect, test, vi } from "vitest"
import type { Artifact } from "../../contract/resources.ts"
import { PreviewDialog } from "./preview-dialog.tsx"

const artifact: Artifact = {
  id: "art_1",
  work_id: "work_1",
  path: "a.txt",
  media_type: "text/plain",
  size: 3n,
  version: 1n,
  content_hash: "",
  created_at: "2026-11-20T08:00:00Z",
}

test("a preview that the browser cannot make, for want of memory, says so", async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("abc", { headers: { "content-length": "3" } })))
  vi.stubGlobal("Blob", function NoMemory() {
    throw new RangeError("out of memory")
  })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PreviewDialog artifact={artifact} onClose={() => undefined} />
    </QueryClientProvider>,
  )
  const alert = await screen.findByRole("alert", { hidden: true })
  expect(alert.textContent).toContain("out of memory")
  vi.unstubAllGlobals()
})
