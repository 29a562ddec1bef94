import { defineLargeTexts } from "../client/large-texts.ts"

/**
 * The exact text of each input, by its id. The browser keeps it until the Work is created or the input is removed, so that it can be sent
 * again after a failure, an expiry or a reload.
 */
export const inputContents = defineLargeTexts("input-content")
