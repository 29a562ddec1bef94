/** The table of all addresses with their cost classes, as docs/architecture.md has it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { operations } from "../../contract/operations.ts"
import { type ClientCost, operationCosts, type PersonCost } from "./request-cost.ts"
import { deskWithPush } from "../testing/push.ts"

const textOf = (cost: ClientCost | PersonCost) => (typeof cost === "string" ? cost : `none: ${cost.free}`)

it("docs/architecture.md has every address with its cost class", async () => {
  const { routes } = await deskWithPush([])
  const costs = [
    ...Object.values(operations).map(({ id, method, path }) => [`${method} ${path}`, textOf(operationCosts[id])]),
    ...Object.entries(routes).map(([address, { cost }]) => [address, textOf(cost)]),
  ]
  const document = readFileSync(join(import.meta.dirname, "../../../docs/architecture.md"), "utf8")
  const section = document.slice(document.indexOf("## What a request costs"), document.indexOf("## Who can see a Work"))
  const rows = [...section.matchAll(/^\| `([A-Z]+ \/[^`]+)` +\| (.*?) +\|$/gm)].map(([, address, cost]) => [
    address,
    cost,
  ])
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(costs))
})
