import { QueryClient } from "@tanstack/react-query"
import { render } from "@testing-library/react"
import { expect, test } from "vitest"
import { DeskError } from "../client/desk-error.ts"
import { setOwner } from "../client/storage.ts"
import { ErrorDetails } from "../ui/error-words.tsx"
import { sendUpload } from "./input-uploads.ts"

test("a file that the browser no longer keeps is said to be gone, with no advice about an address", async () => {
  setOwner("anna")
  const upload = { inputId: "lost", name: "orders.csv", mediaType: "text/csv" } as const
  const error: unknown = await sendUpload(new QueryClient())(upload, "key").catch((cause: unknown) => cause)
  if (!(error instanceof DeskError)) throw new Error("The upload was sent without its file")
  expect(error).toMatchObject({ title: "The file is gone", outcomeUnknown: false })
  const { container } = render(<ErrorDetails error={error} />)
  expect(container.textContent).not.toContain("address")
})
