import { analyst } from "./analyst/analyst.ts"
import type { Colleague } from "./colleague.ts"
import { editor } from "./editor/editor.ts"
import { metronome } from "./metronome.ts"

/** Every colleague of the embedded service. Adding one is a file beside this one and a line here. */
export const colleagues: readonly Colleague[] = [analyst, editor, metronome]
