/** The threads in which colleagues run, and their limits. */
import type { Worker } from "node:worker_threads"
import { fileURLToPath } from "node:url"
import { Piscina } from "piscina"
import { inBackground } from "../../platform/background.ts"
import type { Log } from "../../platform/log.ts"
import { STEPS, type Stretch, type Task, THREAD } from "./step.ts"

const WORKER = fileURLToPath(new URL("colleague-worker.ts", import.meta.url))

const THREADS_MAX = 2
const UNUSED_THREAD_MS = 30_000
const CHECK_INTERVAL_MS = 100

export type ColleagueLimits = {
  /** The processor time of one step: from one call of the colleague on its host to the next. */
  readonly processorMs: number
  /** The memory that one worker thread may use. */
  readonly memoryMb: number
}

export const COLLEAGUE_LIMITS: ColleagueLimits = { processorMs: 2000, memoryMb: 256 }

/**
 * A step is idle when it uses less than 50 ms of processor time in 20 s (times `processorMs`). An idle step is stuck: a question to a person ends
 * the task, and the main thread makes the pauses. On a busy machine a thread that works still gets more than 50 ms in 20 s.
 */
const IDLE_FACTOR = 10
const IDLE_SHARE = 1 / 40

/** The thread of a colleague ended before its task was done. The message is the reason as a clause, without a full stop. */
export class ThreadLost extends Error {}

/**
 * The worker threads in which colleagues run. A thread is ended when it uses too much memory, or when a step takes too much processor time or is
 * idle. Elapsed time does not count, because a busy or sleeping machine must not end a colleague. The threads are kept for the next colleagues:
 * a thread that starts costs 0.19 s of processor time (measured).
 */
export class ColleaguePool {
  readonly #limits: ColleagueLimits
  readonly #log: Log
  #threads: Piscina<Task, Stretch> | undefined

  constructor(limits: ColleagueLimits, log: Log) {
    this.#limits = limits
    this.#log = log
  }

  /** Runs a colleague until it waits for a person or ends. Calls `onStart` when a thread has taken the task. @throws ThreadLost */
  async run(task: Omit<Task, "progress">, onStart: () => void): Promise<Stretch> {
    const threads = (this.#threads ??= this.#start())
    const progress = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
    // Aborting the signal makes Piscina end the thread of the task.
    const ending = new AbortController()
    let isOver = false
    inBackground(() => Promise.resolve(Atomics.waitAsync(progress, THREAD, 0).value).then(() => isOver || onStart()))
    const stop = this.#watch(threads, progress, (reason) => ending.abort(reason))
    try {
      return await threads.run({ ...task, progress }, { signal: ending.signal })
    } catch (error) {
      throw new ThreadLost(reasonOf(error, ending.signal, this.#limits), { cause: error })
    } finally {
      stop()
      isOver = true
      // Ends the wait for the start of a task that no thread has taken.
      Atomics.notify(progress, THREAD)
    }
  }

  /** Ends all threads. The tasks in progress reject. */
  async close(): Promise<void> {
    await this.#threads?.destroy()
  }

  #start(): Piscina<Task, Stretch> {
    const threads = new Piscina<Task, Stretch>({
      filename: WORKER,
      name: "runColleague",
      // The environment may hold tokens and addresses.
      env: {},
      // With `minThreads` 0, queued tasks would wait for ever after a thread was ended (piscina 5.3).
      minThreads: 1,
      maxThreads: THREADS_MAX,
      idleTimeout: UNUSED_THREAD_MS,
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.memoryMb },
    })
    // A thread that is being ended may still report an error, such as a lack of memory. Its task has already rejected.
    threads.on("error", (error) => this.#log.warn({}, `a worker thread of a colleague: ${String(error)}`))
    return threads
  }

  /** Calls `onOverrun` with the reason when a step of the task exceeds the limit or is idle. Returns a function that stops the watch. */
  #watch(threads: Piscina<Task, Stretch>, progress: Int32Array, onOverrun: (reason: string) => void): () => void {
    const { processorMs } = this.#limits
    let lastStep = -1
    let usedAtStepStart = 0
    let usedWhenLastActive = 0
    // Checks are counted and not elapsed time: no check runs while the machine sleeps.
    let idleChecks = 0
    const check = async () => {
      const thread = Atomics.load(progress, THREAD)
      const worker = threads.threads.find(({ threadId }) => threadId === thread)
      if (thread === 0 || worker === undefined) return
      const used = await processorTime(worker)
      const step = Atomics.load(progress, STEPS)
      if (step !== lastStep) usedAtStepStart = used
      if (step !== lastStep || used - usedWhenLastActive > IDLE_SHARE * processorMs) {
        usedWhenLastActive = used
        idleChecks = 0
      }
      lastStep = step
      idleChecks += 1
      if (used - usedAtStepStart > processorMs)
        onOverrun(`it used more than ${processorMs / 1000} s of processor time in one step`)
      else if (idleChecks * CHECK_INTERVAL_MS > IDLE_FACTOR * processorMs) onOverrun("it made no progress")
    }
    // A thread that ends during the check rejects its task itself.
    const timer = setInterval(() => void check().catch(() => {}), CHECK_INTERVAL_MS)
    return () => clearInterval(timer)
  }
}

/** The processor time of a thread in milliseconds. Node before 24.6 only knows how long the thread's event loop was busy. */
async function processorTime(worker: Worker): Promise<number> {
  if (typeof worker.cpuUsage !== "function") return worker.performance.eventLoopUtilization().active
  const { user, system } = await worker.cpuUsage()
  return (user + system) / 1000
}

function reasonOf(error: unknown, ending: AbortSignal, { memoryMb }: ColleagueLimits): string {
  if (ending.aborted) return String(ending.reason)
  if (error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY")
    return `it used more than ${memoryMb} MB of memory`
  return `its worker thread ended: ${error instanceof Error ? error.message : String(error)}`
}
