/** All colleagues of the embedded service. To add a colleague, add a file in this folder and an entry in this list. */
import { analyst } from "./analyst/analyst.ts"
import type { Colleague } from "./colleague.ts"
import { editor } from "./editor/editor.ts"
import { metronome } from "./metronome.ts"

export const colleagues: readonly Colleague[] = [analyst, editor, metronome]
