/** Colleagues for tests. */
import { setTimeout as sleep } from "node:timers/promises"
import type { ApprovalRequest, Colleague, Host, Question } from "../colleagues/colleague.ts"

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

const colleague = (id: string, run: (host: Host) => Promise<void>): Colleague => ({ id, label: id, version: 1, run })

/** An objective whose last line is an instruction to a colleague as JSON. */
export function instruct(instruction: unknown, objective = "Do this"): string {
  return `${objective}\n${JSON.stringify(instruction)}`
}

function instructionOf(host: Host): unknown {
  return JSON.parse(host.work.objective.split("\n").at(-1) ?? "")
}

/** A result that the courier delivers: its path, and its text or a number of bytes (0, 1, … 255, 0, …). */
export type Delivery = readonly [path: string, content: string | number]

function isDelivery(value: unknown): value is Delivery {
  return Array.isArray(value) && typeof value[0] === "string" && ["string", "number"].includes(typeof value[1])
}

/** A colleague that takes a step of each kind but `every`. */
export async function clerk(host: Host): Promise<void> {
  await host.publish("note", { message: "first" })
  await host.pause(1)
  const answer = await host.ask(QUESTION)
  await host.deliver({ path: "result.txt", media_type: "text/plain", content: answer })
  const { decision } = await host.requestApproval(REQUEST)
  if (decision === "approve") await host.send(LETTER)
  await host.finish(`${decision}d`)
}

export const colleagues: readonly Colleague[] = [
  colleague("clerk", clerk),
  // colleagues-next.ts has other versions of these, or does not have them any more.
  ...[
    "clerk-event",
    "clerk-words",
    "clerk-advice",
    "clerk-question",
    "clerk-letter",
    "clerk-steps",
    "clerk-kept",
    "clerk-gone",
  ].map((id) => colleague(id, clerk)),
  colleague("courier", async (host) => {
    const deliveries = instructionOf(host)
    for (const delivery of Array.isArray(deliveries) ? deliveries.filter(isDelivery) : []) {
      const [path, what] = delivery
      const content = typeof what === "string" ? what : Uint8Array.from({ length: what }, (_, index) => index % 256)
      await host.deliver({ path, content, media_type: "text/plain" })
    }
    await host.finish("Delivered.")
  }),
  colleague("unapproved", (host) => host.send(LETTER)),
  colleague("swindler", async (host) => {
    await host.requestApproval(REQUEST)
    await host.send({ ...LETTER, destination: "elsewhere@example.com" })
  }),
  colleague("twice", async (host) => {
    await host.requestApproval(REQUEST)
    await host.send(LETTER)
    await host.send(LETTER)
  }),
  colleague("failing", () => Promise.reject(new Error("out of ink"))),
  colleague("returning", () => Promise.resolve()),
  colleague("counter", (host) =>
    host.every(0.002, Number.MAX_SAFE_INTEGER, { type: "tick", label: "Tick", payload: {} }),
  ),
  colleague("thrice", async (host) => {
    await host.every(0.01, 3, { type: "tick", label: "Tick", payload: {} })
    await host.finish("Ticked.")
  }),
  /** Publishes large events, so that the socket buffers of the system fill quickly. */
  colleague("filler", (host) =>
    host.every(0.01, Number.MAX_SAFE_INTEGER, {
      type: "filling",
      label: "Filling",
      payload: { text: "x".repeat(100_000) },
    }),
  ),
  /** Never takes its next step. */
  colleague("spinner", async (host) => {
    await host.publish("note", { message: "before" })
    for (let turns = 0; ; turns += 1) if (turns < 0) return
  }),
  colleague("hoarder", async () => {
    const hoard: string[] = []
    // Strings of a megabyte: the garbage collector does not look into a string.
    for (;;) hoard.push(Buffer.alloc(1_000_000, "x").toString("latin1"))
  }),
  /** Computes for 0.4 s before it asks. */
  colleague("ponderer", async (host) => {
    const begun = process.threadCpuUsage().user
    while (process.threadCpuUsage().user - begun < 400_000);
    await host.ask(QUESTION)
    await host.finish("Pondered.")
  }),
  colleague("snoop", (host) => host.finish(`Variables: ${Object.keys(process.env).join(", ") || "none"}`)),
  colleague("dreamer", () => new Promise(() => {})),
  /** Uses little processor time, as on a busy machine: 10 ms in 0.7 s. */
  colleague("plodder", async (host) => {
    await host.publish("note", { message: "before" })
    for (let turn = 0; turn < 4; turn += 1) {
      const begun = process.threadCpuUsage().user
      while (process.threadCpuUsage().user - begun < 10_000);
      await sleep(700)
    }
    await host.finish("Plodded through.")
  }),
]
