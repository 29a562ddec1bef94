import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { cleanup, render, screen } from "@testing-library/react"
import { afterEach, expect, test, vi } from "vitest"
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

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const show = (shown: Artifact) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PreviewDialog artifact={shown} all={[shown]} onChoose={() => undefined} onClose={() => undefined} />
    </QueryClientProvider>,
  )

test("a file without content says that it is empty", async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("", { headers: { "content-length": "0" } })))
  show({ ...artifact, size: 0n })
  expect(await screen.findByText("This file is empty.")).toBeDefined()
})

test("a preview that the browser cannot make, for want of memory, says so", async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("abc", { headers: { "content-length": "3" } })))
  vi.stubGlobal("Blob", function NoMemory() {
    throw new RangeError("out of memory")
  })
  show(artifact)
  const alert = await screen.findByRole("alert", { hidden: true })
  expect(alert.textContent).toContain("out of memory")
})
