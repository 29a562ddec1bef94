import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import type { CreateInputUploadRequest } from "../../contract/resources.ts"
import { startService } from "../../service/service.ts"
import type { RunningService } from "../../service/service.ts"
import { startDesk } from "../../server.ts"
import { OwnersDesk } from "./owner.ts"
import { stories } from "./stories.ts"
import type { Step, Story } from "./stories.ts"

const HOUR_MS = 3_600_000

/** Stories that are told at the same time: the service commits one after the other, but waits of one fill the gaps of another. */
const SIDE_BY_SIDE = 6

const MEDIA_TYPES: Readonly<Record<string, CreateInputUploadRequest["media_type"]>> = {
  csv: "text/csv",
  json: "application/json",
  md: "text/markdown",
  txt: "text/plain",
}

/**
 * Fills a data folder with the stories, over HTTP through a desk, as a person would: the inputs are uploaded, the Work is delegated, and
 * the colleagues' own questions and approvals are answered. So the record holds every decision. Two things are not the API's: `pace`
 * makes the colleagues quick, or stops them in the middle of a step, and `backdate` of the service makes a Work up to three weeks old.
 *
 * @returns how many Works there are
 */
export async function fill(dataFolder: string, told: (count: number, total: number) => void): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "workdesk-demo-"))
  const configFile = join(folder, "service.json")
  const setPace = (pace: number): void => writeFileSync(configFile, JSON.stringify({ pace, limits: PLENTY }))
  setPace(0)
  const token = randomBytes(32).toString("base64url")
  const service = await startService({
    host: "127.0.0.1",
    port: 0,
    dataFolder: join(dataFolder, "service"),
    configFile,
    ownCredential: token,
    registry: new URL("../../colleagues/registry.ts", import.meta.url).href,
  })
  const upstream = { WORK_API_URL: service.url, WORK_API_TOKEN: token }
  const desk = await startDesk({ ...upstream, PORT: "0", DATA_DIR: dataFolder }, { log: () => undefined })
  try {
    const owner = new OwnersDesk(desk.url)
    let count = 0
    const uploads = new Map<Story, readonly string[]>()
    await sideBySide(stories, async (story) => {
      uploads.set(story, await Promise.all((story.inputs ?? []).map((name) => owner.upload(inputNamed(name)))))
    })
    const tell = async (story: Story): Promise<void> => {
      await live(service, owner, story, uploads.get(story) ?? [])
      count += 1
      told(count, stories.length)
    }
    const [caught, whole] = [
      stories.filter(({ left }) => left !== undefined),
      stories.filter(({ left }) => left === undefined),
    ]
    await sideBySide(whole, tell)
    // The service looks at its configuration four times a second; from then on a colleague's first pause lasts for hours
    // (and so would a scan: every input is uploaded before).
    setPace(SLOWEST_PACE)
    await wait(600)
    await sideBySide(caught, tell)
  } finally {
    await desk.stop()
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return stories.length
}

const SLOWEST_PACE = 10_000
const PLENTY = { readPerMinute: 1e6, writePerMinute: 1e6 }

/** Takes a story to where it stands today, a part of its age between the steps, so that its history reads like one. */
async function live(
  service: RunningService,
  owner: OwnersDesk,
  story: Story,
  uploads: readonly string[],
): Promise<void> {
  const { colleague, title, objective, priority, visibility, due, limit, age, steps = [], left } = story
  const { id } = await owner.delegate({
    colleague_id: colleague,
    objective,
    ...(title === undefined ? {} : { title }),
    ...(priority === undefined ? {} : { priority }),
    ...(visibility === undefined ? {} : { visibility_scope: visibility }),
    ...(due === undefined ? {} : { due_at: new Date(Date.now() + due * HOUR_MS).toISOString() }),
    ...(limit === undefined ? {} : { active_execution_limit_seconds: BigInt(limit) }),
    input_upload_ids: [...uploads],
  })
  let rest = age * HOUR_MS
  for (const [index, step] of steps.entries()) {
    await ready(owner, id, step)
    // A person took a while to answer, but less than half of what is left.
    const pause = (rest * (index === 0 ? 2 : 3)) / 8
    await service.backdate(id, pause)
    rest -= pause
    await take(owner, id, step)
  }
  await settled(owner, id, story)
  if (left !== "at work" || rest > 0) await service.backdate(id, rest)
}

async function ready(owner: OwnersDesk, id: string, step: Step): Promise<void> {
  await ("answer" in step ? owner.asked(id) : owner.pending(id))
}

async function take(owner: OwnersDesk, id: string, step: Step): Promise<void> {
  if ("answer" in step) return owner.answer(id, step.answer)
  return owner.decide(
    id,
    step.comment === undefined ? { decision: step.decide } : { decision: step.decide, comment: step.comment },
  )
}

/** Waits until the Work stands where its story ends: a later step of the colleague must not come after it was made older. */
async function settled(
  owner: OwnersDesk,
  id: string,
  { colleague, objective, steps = [], left }: Story,
): Promise<void> {
  if (left === "out of time") return owner.reached(id, "paused")
  if (left === "at work" || colleague === "metronome") return
  const decisions = steps.flatMap((step) => ("decide" in step ? [step.decide] : []))
  const wanted = objective.includes("approval:second") ? 2 : 1
  if (steps.length === 0) await owner.asked(id)
  else if (colleague === "analyst" && decisions.length < wanted && !decisions.includes("decline"))
    await owner.pending(id)
  else await owner.reached(id, "done")
}

function inputNamed(name: string): CreateInputUploadRequest {
  const media_type = MEDIA_TYPES[name.split(".").at(-1) ?? ""] ?? "text/plain"
  return { name, media_type, content: readFileSync(join(import.meta.dirname, "inputs", name), "utf8") }
}

async function sideBySide<Item>(items: readonly Item[], each: (item: Item) => Promise<void>): Promise<void> {
  const queue = [...items]
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await each(item)
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker))
}
