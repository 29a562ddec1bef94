import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { cleanup, render } from "@testing-library/react"
import { afterEach, expect, test } from "vitest"
import type { Approval } from "../../contract/resources.ts"
import { approvalsOptions } from "../client/work-reads.ts"
import { LastLetter } from "./last-letter.tsx"

afterEach(cleanup)

const letter = (lines: readonly string[]) => ({ id: "last", subject: "Hello", body: lines.join("\n") }) as Approval
const numbered = (count: number, letters: string) => Array.from({ length: count }, (_, at) => letters + String(at))

function textOf(last: Approval, item: Approval): string {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(approvalsOptions("work_1").queryKey, [last])
  const { container } = render(
    <QueryClientProvider client={client}>
      <LastLetter id={["work_1", "last"]} item={item} />
    </QueryClientProvider>,
  )
  return container.textContent
}

test.each([
  ["a few changed lines", 200, "200 lines changed"],
  ["letters with nothing in common, before the comparison takes long", 300, "almost entirely different"],
])("the last approved letter is compared: %s", (_, count, words) => {
  expect(textOf(letter(numbered(count, "a")), letter(numbered(count, "b")))).toContain(words)
})
