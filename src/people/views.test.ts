import { expect, test } from "vitest"
import { databaseForTest, describeStores } from "../store/testing/stores.ts"
import { readViews, saveViews } from "./views.ts"

const body = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value))

describeStores("saved views", ({ newStore }) => {
  test("belong to the person, keep their order, and are replaced as a whole", async () => {
    const database = await databaseForTest(await newStore())
    expect(await readViews(database, "ada")).toEqual({ views: [] })
    const first = {
      views: [
        { name: "October", query: "colleague=analyst&sort=due" },
        { name: "All", query: "" },
      ],
    }
    expect(await saveViews(database, "ada", body(first))).toEqual(first)
    const second = { views: [{ name: "November \u{1f342}", query: "q=a%20b" }] }
    await saveViews(database, "ada", body(second))
    expect(await readViews(database, "ada")).toEqual(second)
    expect(await readViews(database, "ben")).toEqual({ views: [] })
  })

  test("stay as they were after a body that is not a list of views", async () => {
    const database = await databaseForTest(await newStore())
    const kept = { views: [{ name: "October", query: "" }] }
    await saveViews(database, "ada", body(kept))
    for (const [what, wrong] of WRONG) {
      const answer = await saveViews(database, "ada", body(wrong))
      expect(answer, what).toMatchObject({ status: 400, code: "PROXY_VIEWS_INVALID" })
    }
    expect(await readViews(database, "ada")).toEqual(kept)
  })
})

const WRONG: readonly (readonly [string, unknown])[] = [
  ["no JSON", "{"],
  ["no list", {}],
  ["an unknown member", { views: [], more: 1 }],
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
