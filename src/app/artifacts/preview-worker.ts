/** The worker that parses the text of a preview. Its page ends it at a deadline. */
import { type PreviewContent, type PreviewRequest, readPreview } from "./read-preview.ts"

/** `begun` comes first: the time in which the code of the worker arrives does not count. */
export type PreviewAnswer = { readonly begun: true } | { readonly content: PreviewContent }

addEventListener("message", ({ data }: MessageEvent<PreviewRequest>) => {
  const answer = (message: PreviewAnswer) => postMessage(message)
  answer({ begun: true })
  answer({ content: readPreview(data) })
})
