import { expectAccessibleInLightAndDark, test } from "./fixtures.ts"
import { goRoundByKeyboard } from "./keyboard-round.ts"

for (const [name, viewport] of Object.entries({
  "on a desk": { width: 1440, height: 900 },
  "on a phone": { width: 360, height: 640 },
}))
  test.describe(name, () => {
    test.use({ viewport })

    test("the whole round with the keyboard alone, and axe finds nothing on the way, in the light and in the dark", ({
      page,
      desk,
    }) => goRoundByKeyboard(page, desk, expectAccessibleInLightAndDark))
  })
