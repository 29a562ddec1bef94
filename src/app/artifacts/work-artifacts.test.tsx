import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { cleanup, render, screen } from "@testing-library/react"
import { afterEach, expect, test, vi } from "vitest"
import { WorkArtifacts } from "./work-artifacts.tsx"

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test("the region of the results says that there are none only once the service has said so", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>()
  vi.stubGlobal("fetch", () => promise)
  render(
    <QueryClientProvider client={new QueryClient()}>
      <WorkArtifacts workId="work_1" shownError={undefined} />
    </QueryClientProvider>,
  )
  const region = screen.getByRole("region", { name: "Artifacts" })
  expect(region.textContent).toBe("")
  resolve(Response.json({ data: [] }))
  await expect.poll(() => region.textContent).toBe("None")
})
