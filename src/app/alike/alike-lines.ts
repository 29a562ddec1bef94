/** Finds the lines of the inbox that are alike. The inbox calls this on its page, while the card is loaded later. */
import { findAlike } from "./alike-letters.ts"
import type { Alike } from "../inbox/alike.ts"
import { isApproval } from "../inbox/item.ts"

export const findAlikeLines: Alike["find"] = (lines) =>
  findAlike(lines.flatMap(({ key, entry: { item } }) => (isApproval(item) ? [{ key, item }] : [])))
