import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import type { CreateInputUploadRequest } from "../../contract/resources.ts"
import { startService } from "../../service/service.ts"
import type { RunningService } from "../../service/service.ts"
import { startDesk } from "../../server.ts"
import { demoPeople } from "./identity-provider.ts"
import { Owner } from "./owner.ts"
import { signInAs } from "./sign-in.ts"
import { stories } from "./stories.ts"
import { actAsTeam } from "./team.ts"
import type { OwnerAction, Story } from "./stories/story.ts"

const HOUR_MS = 3_600_000

/** How many stories are played at the same time. While one story waits for its colleague, the others go on. */
const PARALLEL_STORIES = 6

const SLOWEST_PACE = 10_000

// The service reads its configuration four times a second (src/service/configuration.ts).
const CONFIGURATION_READ_MS = 600

/** The people of the filling are faster than people. */
const WITHOUT_LIMITS = { PERSON_REQUESTS_PER_MINUTE: "1000000", CLIENT_REQUESTS_PER_MINUTE: "1000000" }

const LIMITS = { readPerMinute: 1e6, writePerMinute: 1e6 }

const MEDIA_TYPES: Readonly<Record<string, CreateInputUploadRequest["media_type"]>> = {
  csv: "text/csv",
  json: "application/json",
  md: "text/markdown",
  txt: "text/plain",
}

/**
 * Fills a data folder with the stories. All requests go over HTTP through a desk, as a person's requests do, so that the record holds
 * every decision. Two things are not operations of the API: `pace` makes the colleagues fast, or stops them in the middle of a step, and
 * `backdate` of the service makes a Work up to three weeks old.
 *
 * @param onStory called after each story with the number of finished stories and of all stories
 * @param signIn the variables of sign-in, with the demonstration's identity provider: then Ben delegates and answers, and Ada decides
 * @returns the number of Works
 */
export async function fill(
  dataFolder: string,
  onStory: (done: number, total: number) => void,
  signIn?: Readonly<Record<string, string>>,
): Promise<number> {
  const closing = new AsyncDisposableStack()
  try {
    const { service, setPace, ...owners } = await startForFilling(dataFolder, closing, signIn)
    // All inputs are uploaded first, because the slow pace below would also slow their scans.
    const uploads = new Map<Story, readonly string[]>()
    await inParallel(stories, async (story) => {
      uploads.set(
        story,
        await Promise.all((story.inputs ?? []).map((name) => owners.delegator.upload(readInput(name)))),
      )
    })
    let done = 0
    const playAll = (some: readonly Story[]) =>
      inParallel(some, async (story) => {
        await play(service, owners, story, uploads.get(story) ?? [])
        done += 1
        onStory(done, stories.length)
      })
    await playAll(stories.filter(({ stopped }) => stopped === undefined))
    // At the slowest pace the first pause of a colleague lasts for hours, so its Work stops in the middle of a step.
    setPace(SLOWEST_PACE)
    await wait(CONFIGURATION_READ_MS)
    await playAll(stories.filter(({ stopped }) => stopped !== undefined))
    await owners.finish()
  } finally {
    await closing.disposeAsync()
  }
  return stories.length
}

/** Starts the embedded service and a desk on the data folder. `closing` ends both. */
async function startForFilling(
  dataFolder: string,
  closing: AsyncDisposableStack,
  signIn: Readonly<Record<string, string>> | undefined,
) {
  const folder = mkdtempSync(join(tmpdir(), "workdesk-demo-"))
  closing.defer(() => rmSync(folder, { recursive: true, force: true }))
  const configFile = join(folder, "service.json")
  const setPace = (pace: number): void => writeFileSync(configFile, JSON.stringify({ pace, limits: LIMITS }))
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
  closing.defer(() => service.stop())
  const upstream = { WORK_API_URL: service.url, WORK_API_TOKEN: token }
  const environment = { ...upstream, PORT: "0", DATA_DIR: dataFolder, ...WITHOUT_LIMITS, ...signIn }
  const desk = await startDesk(environment, { log: () => undefined })
  closing.defer(() => desk.stop())
  return { service, setPace, ...(await makeOwners(desk.url, signIn !== undefined)) }
}

/** Who plays the stories. Without sign-in both are the one person of the desk. */
type Owners = {
  readonly delegator: Owner
  readonly approver: Owner
  readonly hasPeople: boolean
  /** What the people do when all Work has its age. */
  readonly finish: () => Promise<void>
}

async function makeOwners(deskUrl: string, hasPeople: boolean): Promise<Owners> {
  const one = new Owner(deskUrl)
  if (!hasPeople) return { delegator: one, approver: one, hasPeople, finish: () => Promise.resolve() }
  const signedIn = async (subject: string) => {
    const person = demoPeople.find((each) => each.subject === subject)
    if (person === undefined) throw new Error(`the demonstration has no person ${subject}`)
    return signInAs(deskUrl, person)
  }
  const people = { ada: await signedIn("ada"), ben: await signedIn("ben"), emil: await signedIn("emil") }
  return {
    delegator: new Owner(deskUrl, people.ben),
    approver: new Owner(deskUrl, people.ada),
    hasPeople,
    finish: () => actAsTeam(deskUrl, people),
  }
}

/**
 * Delegates the Work of a story and takes the owner's actions. The Work gets a part of its age between the actions. With people, Work whose
 * story names no scope is the team's.
 */
async function play(
  service: RunningService,
  { delegator, approver, hasPeople }: Owners,
  story: Story,
  uploads: readonly string[],
): Promise<void> {
  const { colleague, title, objective, priority, due, limit, age, actions = [], stopped } = story
  const visibility = story.visibility ?? (hasPeople ? "team" : undefined)
  const { id } = await delegator.delegate({
    colleague_id: colleague,
    objective,
    ...(title === undefined ? {} : { title }),
    ...(priority === undefined ? {} : { priority }),
    ...(visibility === undefined ? {} : { visibility_scope: visibility }),
    ...(due === undefined ? {} : { due_at: new Date(Date.now() + due * HOUR_MS).toISOString() }),
    ...(limit === undefined ? {} : { active_execution_limit_seconds: BigInt(limit) }),
    input_upload_ids: [...uploads],
  })
  let ageLeft = age * HOUR_MS
  for (const [index, action] of actions.entries()) {
    await ("answer" in action ? delegator.waitForQuestion(id) : delegator.waitForApproval(id))
    // The owner took a while, but less than half of the age that is left.
    const delay = (ageLeft * (index === 0 ? 2 : 3)) / 8
    await service.backdate(id, delay)
    ageLeft -= delay
    await act("answer" in action ? delegator : approver, id, action)
  }
  await waitForEnd(delegator, id, story)
  if (stopped !== "at work" || ageLeft > 0) await service.backdate(id, ageLeft)
}

async function act(owner: Owner, id: string, action: OwnerAction): Promise<void> {
  if ("answer" in action) return owner.answer(id, action.answer)
  const { decide: decision, comment } = action
  return owner.decide(id, comment === undefined ? { decision } : { decision, comment })
}

/** Waits until the colleague has taken the last step of the story. A later step would be younger than the story's age. */
async function waitForEnd(owner: Owner, id: string, story: Story): Promise<void> {
  const { colleague, objective, actions = [], stopped } = story
  if (stopped === "out of time") return owner.waitForStatus(id, "paused")
  if (stopped === "at work" || colleague === "metronome") return
  const decisions = actions.flatMap((action) => ("decide" in action ? [action.decide] : []))
  const approvals = objective.includes("approval:second") ? 2 : 1
  if (actions.length === 0) await owner.waitForQuestion(id)
  else if (colleague === "analyst" && decisions.length < approvals && !decisions.includes("decline"))
    await owner.waitForApproval(id)
  else await owner.waitForStatus(id, "done")
}

function readInput(name: string): CreateInputUploadRequest {
  const media_type = MEDIA_TYPES[name.split(".").at(-1) ?? ""] ?? "text/plain"
  return { name, media_type, content: readFileSync(join(import.meta.dirname, "inputs", name), "utf8") }
}

async function inParallel<Item>(items: readonly Item[], each: (item: Item) => Promise<void>): Promise<void> {
  const queue = [...items]
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await each(item)
  }
  await Promise.all(Array.from({ length: PARALLEL_STORIES }, worker))
}
