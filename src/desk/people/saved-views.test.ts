import { answerOf } from "../../platform/http/testing/answer-of.ts"
import { expect, test } from "vitest"
import { databaseForTest, describeStores } from "../store/testing/stores.ts"
import { readViews, saveViews } from "./saved-views.ts"

const body = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value))

describeStores("saved views", ({ newStore }) => {
  async function newViews() {
    const database = await databaseForTest(await newStore())
    const read = (person = "ada") => readViews(database, person)
    const save = (value: unknown, etag: string | undefined) => answerOf(saveViews(database, "ada", etag, body(value)))
    return { read, save }
  }

  test("belong to the person, keep their order, and are replaced as a whole", async () => {
    const { read, save } = await newViews()
    expect(await read()).toMatchObject({ document: { views: [] } })
    const first = {
      views: [
        { name: "October", query: "colleague=analyst&sort=due" },
        { name: "All", query: "" },
      ],
    }
    const saved = await save(first, (await read()).etag)
    expect(saved).toEqual({ document: first, etag: expect.stringMatching(/^"[\w-]+"$/) as string })
    expect(await read()).toEqual(saved)
    const second = { views: [{ name: "November \u{1f342}", query: "q=a%20b" }] }
    await save(second, (await read()).etag)
    expect(await read()).toMatchObject({ document: second })
    expect(await read("ben")).toMatchObject({ document: { views: [] } })
  })

  test("of two tabs that save at once are those of one, and the other is told", async () => {
    const { read, save } = await newViews()
    const { etag } = await read()
    const both = await Promise.all(["October", "November"].map((name) => save({ views: [{ name, query: "" }] }, etag)))
    expect(both.filter((answer) => "code" in answer)).toMatchObject([{ status: 412, code: "PROXY_VERSION_STALE" }])
    expect(both).toContainEqual(await read())
    expect(await save({ views: [] }, undefined)).toMatchObject({ status: 428, code: "PROXY_VERSION_REQUIRED" })
    expect(both).toContainEqual(await read())
  })

  test("that are sent twice are stored once, and the second answer has the present state", async () => {
    const { read, save } = await newViews()
    const { etag } = await read()
    const views = { views: [{ name: "October", query: "" }] }
    const saved = await save(views, etag)
    expect(await save(views, etag)).toEqual(saved)
    expect(await save({ views: [] }, etag)).toMatchObject({ status: 412 })
    expect(await save(views, undefined)).toMatchObject({ status: 428 })
    expect(await read()).toEqual(saved)
  })

  test("stay as they were after a body that is not a list of views", async () => {
    const { read, save } = await newViews()
    await save({ views: [{ name: "October", query: "" }] }, (await read()).etag)
    const kept = await read()
    for (const [what, wrong] of WRONG) {
      const answer = await save(wrong, kept.etag)
      expect(answer, what).toMatchObject({ status: 400, code: "PROXY_VIEWS_INVALID" })
    }
    expect(await read()).toEqual(kept)
  })
})

const WRONG: readonly (readonly [string, unknown])[] = [
  ["no JSON", "{"],
  ["no list", {}],
  ["a view without a name", { views: [{ name: " ", query: "" }] }],
  ["a name of many lines", { views: [{ name: "a\nb", query: "" }] }],
  ["a name that is too long", { views: [{ name: "x".repeat(101), query: "" }] }],
  ["a query that is too long", { views: [{ name: "a", query: "x".repeat(2_001) }] }],
  [
    "a name twice",
    {
      views: [
        { name: "a", query: "x" },
        { name: "a ", query: "y" },
      ],
    },
  ],
  ["too many views", { views: Array.from({ length: 101 }, (_, index) => ({ name: `${index}`, query: "" })) }],
]
