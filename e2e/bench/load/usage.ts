/** What processes have used so far: processor time and memory (Linux). */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"

const PAGE_BYTES = 4_096
const TICKS_PER_SECOND = 100

/** Processor time of all threads of these processes, in microseconds. */
export function processorTime(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const threads = readdirSync(`/proc/${pid}/task`)
    return sum + threads.reduce((ofThreads, thread) => ofThreads + timeOfThread(pid, thread), 0)
  }, 0)
}

/** The scheduler counts nanoseconds. The time in `stat` has steps of 10 ms, which is too coarse for a round of 250 ms. */
function timeOfThread(pid: number, thread: string): number {
  return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1_000
}

/** Processor time of a process and all its children, also of the children that have ended, in microseconds. */
export function processorTimeOfTree(pid: number): number {
  const children = childrenOf(pid).filter((child) => existsSync(`/proc/${child}`))
  return processorTime([pid, ...children]) + timeOfEndedChildren(pid)
}

export function childrenOf(pid: number): number[] {
  const found = spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" }).stdout.trim()
  return found === "" ? [] : found.split("\n").map(Number)
}

/** Fields 16 and 17 of `stat` count ticks (proc(5), cutime and cstime). Field 3 is the first after the name in parentheses. */
function timeOfEndedChildren(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
  const ticks = Number(fields[13]) + Number(fields[14])
  return (ticks * 1_000_000) / TICKS_PER_SECOND
}

/** Memory that these processes hold in RAM. */
export function residentBytes(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1])
    return sum + pages * PAGE_BYTES
  }, 0)
}
