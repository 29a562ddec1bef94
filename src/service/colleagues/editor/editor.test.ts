import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { listOf, textOf } from "../../testing/client.ts"
import { serviceForTest, startTestService, type TestService } from "../../testing/test-service.ts"
import { rateOf } from "../metronome.ts"

const UNTIDY = "# Guide\n\nSee https://x.example. \n\n\n### Deep\n"

describe("the editor", () => {
  let service: TestService
  beforeAll(async () => void (service = await startTestService()))
  afterAll(() => service.stop())

  async function edit(answer: string): Promise<{ files: Map<string, string>; summary: string }> {
    const upload = await service.upload("guide.md", UNTIDY, "text/markdown")
    const id = await service.work({ colleague_id: "editor", objective: "Review", input_upload_ids: [upload] })
    await service.answer(id, answer)
    const summary = textOf(await service.until(id, "done"), "completion_summary")
    expect(listOf((await service.get(`/api/v1/work/${id}/approvals`)).body)).toEqual([])
    return { files: await service.results(id), summary }
  }

  test("reviews a text, and edits the copy as the answer permits", async () => {
    const repaired = await edit("Use recommendation")
    expect(repaired.files.get("clean/guide.md")).toBe("# Guide\n\nSee <https://x.example>.\n\n### Deep\n")
    const tidied = await edit("Only tidy")
    expect(tidied.files.get("clean/guide.md")).toBe("# Guide\n\nSee https://x.example.\n\n### Deep\n")
    const left = await edit("Leave it as it is")
    expect(left.files.get("clean/guide.md")).toBe(UNTIDY)
    for (const { files } of [repaired, tidied, left]) expect(files.get("review.md")).toContain("line 3: Bare URL used")
    expect(repaired.summary).toBe("Reviewed guide.md (4 problems); its copy has 3 changes.")
  })

  test("names the text and its problems in the question", async () => {
    const upload = await service.upload("guide.md", UNTIDY, "text/markdown")
    const id = await service.work({ colleague_id: "editor", objective: "Review", input_upload_ids: [upload] })
    await service.first(id, "attention")
    const [asked] = listOf((await service.get(`/api/v1/work/${id}/attention`)).body)
    expect(textOf(asked, "title")).toBe("How much may I change in guide.md: leave, tidy or repair?")
    expect(textOf(asked, "what_happened")).toContain("MD034 Bare URL used (1)")
    expect(textOf(asked, "recommended_action")).toBe("Repair: it makes 3 changes.")
  })

  test("finishes without a readable input, and says so", async () => {
    const none = await service.work({ colleague_id: "editor", objective: "Review" })
    await service.answer(none, "fine")
    expect(textOf(await service.until(none, "done"), "completion_summary")).toBe("There was no input to review.")
    const upload = await service.upload("a.csv", "a,b\n1,2\n")
    const wrong = await service.work({ colleague_id: "editor", objective: "Review", input_upload_ids: [upload] })
    await service.answer(wrong, "fine")
    expect(textOf(await service.until(wrong, "done"), "completion_summary")).toBe("Could not read a.csv.")
    expect((await service.results(wrong)).get("review.md")).toContain("data, not text to edit")
  })
})

test.each([
  ["rate=20", 20],
  ["Beat at rate = 2.5, please", 2.5],
  ["Beat", 1],
  ["rate=99999", 1000],
  ["rate=0", 0.1],
  ["corporate=7", 1],
])("the metronome's rate in %j is %d", (objective, rate) => {
  expect(rateOf(objective)).toBe(rate)
})

test("the metronome publishes its beats in order also at pace 0, and does not finish", async () => {
  const service = await serviceForTest()
  const id = await service.work({ colleague_id: "metronome", objective: "rate=50" })
  const sequences = await beats(service, id, 10)
  expect(sequences).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(textOf((await service.get(`/api/v1/work/${id}`)).body, "status")).toBe("working")
})

/** The numbers of the first beats, from the stream. */
async function beats(service: TestService, workId: string, wanted: number): Promise<number[]> {
  const response = await fetch(`${service.url}/api/v1/work/${workId}/events?after=0`, {
    headers: { authorization: "Bearer token-alice" },
  })
  let text = ""
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    const found = [...text.matchAll(/"beat":(\d+)/g)].map(([, beat]) => Number(beat))
    if (found.length >= wanted) return found.slice(0, wanted)
  }
  return []
}
