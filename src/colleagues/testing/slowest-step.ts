import type { Colleague, Desk, Input } from "../colleague.ts"

/** Thrown by the desk of a measurement to end the colleague, where a person would have to decide. */
class Measured extends Error {}

/** The processor time of the slowest step of a colleague that works on one input, in milliseconds. */
export async function slowestStep(colleague: Colleague, input: Pick<Input, "mediaType" | "content">): Promise<number> {
  let last = processorTime()
  let slowest = 0
  const step = () => {
    const now = processorTime()
    slowest = Math.max(slowest, now - last)
    last = now
    return Promise.resolve()
  }
  const desk: Desk = {
    work: {
      id: "work",
      title: "Slow",
      objective: "Work on this",
      demonstration: true,
      inputs: [{ uploadId: "upload", name: "input", ...input }],
    },
    publish: step,
    ask: async () => {
      await step()
      return "repair"
    },
    requestApproval: async () => {
      await step()
      throw new Measured()
    },
    send: step,
    deliver: step,
    pause: () => Promise.resolve(),
    every: () => Promise.reject(new Measured()),
    finish: step,
  }
  await colleague.run(desk).catch((error: unknown) => {
    if (!(error instanceof Measured)) throw error
  })
  return slowest
}

/** The processor time of this thread alone, as the embedded service measures a colleague's thread: other threads compile and collect for it. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
