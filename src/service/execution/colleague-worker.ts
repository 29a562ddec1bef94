/** The worker thread in which a colleague runs. */
import { getPriority, setPriority } from "node:os"
import { isMainThread, threadId } from "node:worker_threads"
import type { Colleague, Decision, Host, WorkOrder } from "../colleagues/colleague.ts"
import { readRegistry } from "./read-colleagues.ts"
import { type Answer, type Step, STEPS, type Stretch, type Task, THREAD } from "./step.ts"

/** A colleague that takes more steps without asking a person is out of control. */
const STEPS_MAX = 20_000

/** How much less urgent than the main thread a colleague is, in steps of `nice`. */
const LESS_URGENT = 5
const NICE_MAX = 19

// On few processors a busy colleague would delay requests. Only Linux has a priority for each thread: elsewhere it is the whole process's.
if (!isMainThread && process.platform === "linux") setPriority(Math.min(getPriority() + LESS_URGENT, NICE_MAX))

/** Runs a colleague in this worker thread until it waits for a person or ends. The thread is handed no store, no token and no environment. */
export async function runColleague({
  registry,
  colleagueId,
  version,
  order,
  answers,
  progress,
}: Task): Promise<Stretch> {
  Atomics.store(progress, THREAD, threadId)
  Atomics.notify(progress, THREAD)
  const colleagues = await readRegistry(registry)
  const colleague = colleagues.find((one) => one.id === colleagueId && one.version === version)
  if (colleague === undefined) throw new Error(`there is no version ${version} of the colleague ${colleagueId}`)
  const steps: Step[] = []
  const addStep = (step: Step) => {
    if (steps.length === STEPS_MAX) throw new Error(`more than ${STEPS_MAX} steps without asking a person`)
    steps.push(step)
    Atomics.add(progress, STEPS, 1)
  }
  return { steps, end: await endOf(colleague, order, answers, addStep) }
}

async function endOf(
  colleague: Colleague,
  order: WorkOrder,
  answers: readonly Answer[],
  addStep: (step: Step) => void,
): Promise<Stretch["end"]> {
  const { promise: waits, resolve } = Promise.withResolvers<Stretch["end"]>()
  const host = recordingHost(order, answers, addStep, () => resolve({ kind: "waits" }))
  const run = colleague.run(host).then(
    (): Stretch["end"] => ({ kind: "returned" }),
    (error: unknown): Stretch["end"] => ({
      kind: "failed",
      reason: error instanceof Error ? error.message : String(error),
    }),
  )
  return Promise.race([waits, run])
}

/** A host that collects the steps. A question without an answer calls `onWait` and never resolves. */
function recordingHost(
  work: WorkOrder,
  answers: readonly Answer[],
  addStep: (step: Step) => void,
  onWait: () => void,
): Host {
  const answersLeft = [...answers]
  const waitForEver = <Value>(): Promise<Value> => {
    onWait()
    return new Promise(() => {})
  }
  return {
    work,
    async publish(type, payload) {
      checkType(type)
      addStep({ kind: "publish", type, payload })
    },
    async ask(question) {
      addStep({ kind: "ask", question })
      const answer = answersLeft.shift()
      return typeof answer === "string" ? answer : waitForEver<string>()
    },
    async requestApproval(request) {
      addStep({ kind: "requestApproval", request })
      const answer = answersLeft.shift()
      return typeof answer === "object" ? answer : waitForEver<Decision>()
    },
    async send(letter) {
      addStep({ kind: "send", letter })
    },
    async deliver(result) {
      addStep({ kind: "deliver", result })
    },
    async pause(seconds) {
      addStep({ kind: "pause", seconds })
    },
    async every(seconds, times, event) {
      checkType(event.type)
      addStep({ kind: "every", seconds, times, event })
    },
    async finish(completionSummary) {
      addStep({ kind: "finish", completionSummary })
    },
  }
}

/** @throws TypeError when the type of an event is not one line, as its frame in a stream needs it */
function checkType(type: string): void {
  if (type === "" || /[\r\n\0]/.test(type))
    throw new TypeError(`an event's type must be one line, not ${JSON.stringify(type)}`)
}
