import { expect, it } from "vitest"
import { preloads } from "./preloads.ts"
import { places } from "./shell/places.ts"

it("every page but that of one Work is in the menu and in the palette", () => {
  expect(Object.keys(places).sort()).toEqual(
    Object.keys(preloads)
      .filter((path) => path !== "/work/:id")
      .sort(),
  )
})
