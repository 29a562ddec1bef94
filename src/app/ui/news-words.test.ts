import { expect, test } from "vitest"
import { formatNews } from "./news-words.ts"

const by = { id: "ada", name: "Ada Lovelace" }

test.each([
  [{ what: ["done"] }, "Done"],
  [{ what: ["done", "results", "approved"], by, results: 1 }, "Done, 1 result"],
  [{ what: ["done", "results"], results: 3 }, "Done, 3 results"],
  [{ what: ["approved", "asked"], by }, "Ada Lovelace approved"],
  [{ what: ["declined"], by }, "Ada Lovelace declined"],
  [{ what: ["answered", "approval"], by }, "Ada Lovelace answered"],
  [{ what: ["asked"] }, "Asked a question"],
  [{ what: ["changed"] }, "Changed"],
] as const)("%j reads %s", (news, words) => {
  expect(formatNews(news)).toBe(words)
})
