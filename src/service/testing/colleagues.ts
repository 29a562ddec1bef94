import { setTimeout as sleep } from "node:timers/promises"
import type { ApprovalRequest, Colleague, Desk, Question } from "../../colleagues/colleague.ts"

/** The URL of this module, for a service with these colleagues. */
export const TEST_COLLEAGUES = import.meta.url

export const LETTER = { destination: "post@example.com", subject: "Sums\nand more", body: "One\n\nTwo" }

export const REQUEST: ApprovalRequest = {
  ...LETTER,
  summary: "Send the sums",
  risk: "low",
  policy_reason: "Every letter needs an approval",
}
export const QUESTION: Question = {
  title: "Which?",
  what_happened: "a",
  why_needed: "b",
  recommended_action: "c",
  consequences: "d",
}

const colleague = (id: string, run: (desk: Desk) => Promise<void>): Colleague => ({ id, label: id, version: 1, run })

/** An objective whose last line is an instruction to a colleague as JSON. */
export function instruct(instruction: unknown, objective = "Do this"): string {
  return `${objective}\n${JSON.stringify(instruction)}`
}

function instructionOf(desk: Desk): unknown {
  return JSON.parse(desk.work.objective.split("\n").at(-1) ?? "")
}

/** A result that the courier delivers: its path, and its text or a number of bytes (0, 1, … 255, 0, …). */
export type Delivery = readonly [path: string, content: string | number]

function isDelivery(value: unknown): value is Delivery {
  return Array.isArray(value) && typeof value[0] === "string" && ["string", "number"].includes(typeof value[1])
}

/** A colleague that takes a step of each kind but `every`. */
export async function clerk(desk: Desk): Promise<void> {
  await desk.publish("note", { message: "first" })
  await desk.pause(1)
  const answer = await desk.ask(QUESTION)
  await desk.deliver({ path: "result.txt", media_type: "text/plain", content: answer })
  const { decision } = await desk.requestApproval(REQUEST)
  if (decision === "approve") await desk.send(LETTER)
  await desk.finish(`${decision}d`)
}

export const colleagues: readonly Colleague[] = [
  colleague("clerk", clerk),
  // colleagues-next.ts has other versions of these, or does not have them any more.
  ...["clerk-event", "clerk-words", "clerk-advice", "clerk-question", "clerk-letter", "clerk-kept", "clerk-gone"].map(
    (id) => colleague(id, clerk),
  ),
  colleague("courier", async (desk) => {
    const deliveries = instructionOf(desk)
    for (const delivery of Array.isArray(deliveries) ? deliveries.filter(isDelivery) : []) {
      const [path, what] = delivery
      const content = typeof what === "string" ? what : Uint8Array.from({ length: what }, (_, index) => index % 256)
      await desk.deliver({ path, content, media_type: "text/plain" })
    }
    await desk.finish("Delivered.")
  }),
  colleague("unapproved", (desk) => desk.send(LETTER)),
  colleague("swindler", async (desk) => {
    await desk.requestApproval(REQUEST)
    await desk.send({ ...LETTER, destination: "elsewhere@example.com" })
  }),
  colleague("twice", async (desk) => {
    await desk.requestApproval(REQUEST)
    await desk.send(LETTER)
    await desk.send(LETTER)
  }),
  colleague("failing", () => Promise.reject(new Error("out of ink"))),
  colleague("returning", () => Promise.resolve()),
  colleague("counter", (desk) =>
    desk.every(0.002, Number.MAX_SAFE_INTEGER, { type: "tick", label: "Tick", payload: {} }),
  ),
  colleague("thrice", async (desk) => {
    await desk.every(0.01, 3, { type: "tick", label: "Tick", payload: {} })
    await desk.finish("Ticked.")
  }),
  /** Publishes large events, so that the socket buffers of the system fill quickly. */
  colleague("filler", (desk) =>
    desk.every(0.01, Number.MAX_SAFE_INTEGER, {
      type: "filling",
      label: "Filling",
      payload: { text: "x".repeat(100_000) },
    }),
  ),
  /** Never takes its next step. */
  colleague("spinner", async (desk) => {
    await desk.publish("note", { message: "before" })
    for (let turns = 0; ; turns += 1) if (turns < 0) return
  }),
  colleague("hoarder", async () => {
    const hoard: string[] = []
    // Strings of a megabyte: the garbage collector does not look into a string.
    for (;;) hoard.push(Buffer.alloc(1_000_000, "x").toString("latin1"))
  }),
  /** Computes for 0.4 s before it asks. */
  colleague("ponderer", async (desk) => {
    const begun = process.threadCpuUsage().user
    while (process.threadCpuUsage().user - begun < 400_000);
    await desk.ask(QUESTION)
    await desk.finish("Pondered.")
  }),
  colleague("snoop", (desk) => desk.finish(`Variables: ${Object.keys(process.env).join(", ") || "none"}`)),
  colleague("dreamer", () => new Promise(() => {})),
  /** Uses little processor time, as on a busy machine: 10 ms in 0.7 s. */
  colleague("plodder", async (desk) => {
    await desk.publish("note", { message: "before" })
    for (let turn = 0; turn < 4; turn += 1) {
      const begun = process.threadCpuUsage().user
      while (process.threadCpuUsage().user - begun < 10_000);
      await sleep(700)
    }
    await desk.finish("Plodded through.")
  }),
]
