/** How many reports may be written at the same time: one for a person and two for the desk, because each one verifies the whole chain. */
import { Refused } from "../../../platform/http/send.ts"
import { reportsBusy } from "../record-refusals.ts"

export const REPORTS_MAX = 2

export class ReportSlots {
  readonly #people = new Set<string>()

  /** Runs `work`, which writes a report. @throws Refused (503) when no more reports may be written now */
  async run(personId: string, work: () => Promise<void>): Promise<void> {
    if (this.#people.has(personId)) throw new Refused(reportsBusy("person"))
    if (this.#people.size >= REPORTS_MAX) throw new Refused(reportsBusy("desk"))
    this.#people.add(personId)
    await work().finally(() => this.#people.delete(personId))
  }
}
