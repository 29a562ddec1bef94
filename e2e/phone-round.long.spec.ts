import { test } from "./fixtures.ts"
import { goRoundByKeyboard } from "./keyboard-round.ts"

test.use({ viewport: { width: 390, height: 844 } })

test("on a phone: the whole round with the keyboard alone, and axe finds nothing on the way", ({ page, desk }) =>
  goRoundByKeyboard(page, desk))
