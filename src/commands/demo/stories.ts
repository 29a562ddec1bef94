import { asking } from "./stories/asking.ts"
import { deciding } from "./stories/deciding.ts"
import { done } from "./stories/done.ts"
import { paused } from "./stories/paused.ts"
import type { Story } from "./stories/story.ts"
import { working } from "./stories/working.ts"

/**
 * The stories that `npm run demo` fills its data folder with. Together they show every state of a Work, a clarification, an approval and
 * a result. A file of `stories` holds the stories that end in the state of its name.
 */
export const stories: readonly Story[] = [...working, ...asking, ...deciding, ...paused, ...done]
