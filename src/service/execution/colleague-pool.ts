import type { Worker } from "node:worker_threads"
import { fileURLToPath } from "node:url"
import { Piscina } from "piscina"
import type { Log } from "../../contract/log.ts"
import { STEPS, THREAD } from "./step.ts"
import type { Stretch, Task } from "./step.ts"

const WORKER = fileURLToPath(new URL("colleague-worker.ts", import.meta.url))

const MOST_THREADS = 2
const IDLE_MS = 30_000
const WATCH_MS = 100

export type ColleagueLimits = {
  /** The processor time that one step may take. */
  readonly processorMs: number
  /** The memory that one worker thread may use. */
  readonly memoryMb: number
}

export const COLLEAGUE_LIMITS: ColleagueLimits = { processorMs: 2000, memoryMb: 256 }

/**
 * A step that uses less than a fortieth of its limit (50 ms) within ten times its limit (20 s) waits for something, and no colleague may wait.
 * On a busy machine a thread gets little of the processor, but more than that.
 */
const IDLE_LIMITS = 10
const IDLE_SHARE = 1 / 40

/** The worker thread of a colleague ended before its task was done. The message says why, as a clause. */
export class WorkerLost extends Error {}

/**
 * The worker threads in which colleagues run. A thread is ended when one step takes too much processor time or memory. The limit is
 * processor time, so that neither a busy machine nor one that sleeps ends a colleague.
 */
export class ColleaguePool {
  readonly #limits: ColleagueLimits
  readonly #log: Log
  #threads: Piscina<Task, Stretch> | undefined

  constructor(limits: ColleagueLimits, log: Log) {
    this.#limits = limits
    this.#log = log
  }

  /**
   * Runs a colleague. The threads start with the first task.
   * @throws WorkerLost when its thread ended
   */
  async run(task: Omit<Task, "progress">): Promise<Stretch> {
    const threads = (this.#threads ??= this.#start())
    const progress = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
    const overrun = new AbortController()
    const stop = this.#watch(threads, progress, (reason) => overrun.abort(reason))
    try {
      return await threads.run({ ...task, progress }, { signal: overrun.signal })
    } catch (error) {
      throw new WorkerLost(reasonOf(error, overrun.signal, this.#limits), { cause: error })
    } finally {
      stop()
    }
  }

  /** Ends all threads. Tasks in progress reject. */
  async close(): Promise<void> {
    await this.#threads?.destroy()
  }

  #start(): Piscina<Task, Stretch> {
    const threads = new Piscina<Task, Stretch>({
      filename: WORKER,
      name: "runColleague",
      // With none, tasks that wait in the queue would go on waiting after a thread was ended (piscina 5.3).
      minThreads: 1,
      maxThreads: MOST_THREADS,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.memoryMb },
    })
    // A thread that is ended may still report an error of its own, such as a lack of memory, and has no task any more to tell.
    threads.on("error", (error) => this.#log.warn({}, `a worker thread of a colleague: ${String(error)}`))
    return threads
  }

  /** Calls `overrun` when a step of the task takes too long. */
  #watch(threads: Piscina<Task, Stretch>, progress: Int32Array, overrun: (reason: string) => void): () => void {
    const { processorMs } = this.#limits
    let step = -1
    let begun = 0
    let seen = 0
    let looks = 0
    const look = async () => {
      const thread = Atomics.load(progress, THREAD)
      const worker = threads.threads.find(({ threadId }) => threadId === thread)
      if (thread === 0 || worker === undefined) return
      const used = await processorTime(worker)
      const current = Atomics.load(progress, STEPS)
      if (current !== step) {
        step = current
        begun = used
        seen = used
        looks = 0
      } else if (used - seen > IDLE_SHARE * processorMs) {
        seen = used
        looks = 0
      }
      looks += 1
      if (used - begun > processorMs) overrun(`it took more than ${processorMs / 1000} s of processor time for a step`)
      else if (looks * WATCH_MS > IDLE_LIMITS * processorMs) overrun("it did not go on")
    }
    // A thread that ends while it is asked has its own error.
    const timer = setInterval(() => void look().catch(() => {}), WATCH_MS)
    return () => clearInterval(timer)
  }
}

/** The processor time of a thread in milliseconds. Node before 24.6 says only how long the thread's event loop has been busy. */
async function processorTime(worker: Worker): Promise<number> {
  if (typeof worker.cpuUsage !== "function") return worker.performance.eventLoopUtilization().active
  const { user, system } = await worker.cpuUsage()
  return (user + system) / 1000
}

function reasonOf(error: unknown, overrun: AbortSignal, { memoryMb }: ColleagueLimits): string {
  if (overrun.aborted) return String(overrun.reason)
  if (error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY")
    return `it used more than ${memoryMb} MB of memory`
  return `its worker thread ended: ${error instanceof Error ? error.message : String(error)}`
}
