import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import type { CreateInputUploadRequest } from "../contract/resources.ts"
import { startDesk } from "../server.ts"
import { type RunningService, startService } from "../service/embedded-service.ts"
import { Owner } from "./owner.ts"
import { signInAs } from "./sign-in-as.ts"
import { stories } from "./stories.ts"
import type { OwnerAction, Story } from "./stories/story.ts"

const HOUR_MS = 3_600_000

const SLOWEST_PACE = 10_000

// Longer than two intervals at which the service reads its configuration (src/service/embedded-service.ts), so that a new pace is in force.
const CONFIGURATION_READ_MS = 600

/** How long Emil is away. Long, because later starts keep the data. */
const AWAY_DAYS = 30

/** Limits that the filling does not reach, although it sends requests faster than people do. */
const DESK_LIMITS = { PERSON_REQUESTS_PER_MINUTE: "1000000", CLIENT_REQUESTS_PER_MINUTE: "1000000" }

const SERVICE_LIMITS = { readPerMinute: 1e6, writePerMinute: 1e6 }

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
    for (const story of stories) {
      const inputs = (story.inputs ?? []).map(readInput)
      uploads.set(story, await Promise.all(inputs.map((input) => owners.delegator.upload(input))))
    }
    const works = new Map<Story, string>()
    const playStory = async (story: Story) => {
      works.set(story, await play(service, owners, story, uploads.get(story) ?? []))
      onStory(works.size, stories.length)
    }
    // While one story waits for its colleague, the others go on.
    await Promise.all(stories.filter(({ stopped }) => stopped === undefined).map(playStory))
    // At the slowest pace the first pause of a colleague lasts for hours, so its Work stops in the middle of a step.
    setPace(SLOWEST_PACE)
    await wait(CONFIGURATION_READ_MS)
    await Promise.all(stories.filter(({ stopped }) => stopped !== undefined).map(playStory))
    await owners.overseer.freezeForAMoment("metronome", "Two beats a second filled the checkout's log. Fixed now.")
    if (owners.people !== undefined) {
      await actAsTeam(owners.people, new Map([...works].map(([{ title = "" }, id]) => [title, id])))
    }
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
  const setPace = (pace: number): void => writeFileSync(configFile, JSON.stringify({ pace, limits: SERVICE_LIMITS }))
  setPace(0)
  const token = randomBytes(32).toString("base64url")
  const service = await startService({
    host: "127.0.0.1",
    port: 0,
    dataFolder: join(dataFolder, "service"),
    configFile,
    ownCredential: token,
    registry: new URL("../service/colleagues/registry.ts", import.meta.url).href,
  })
  closing.defer(() => service.stop())
  const upstream = { WORK_API_URL: service.url, WORK_API_TOKEN: token }
  const environment = { ...upstream, PORT: "0", DATA_DIR: dataFolder, ...DESK_LIMITS, ...signIn }
  const desk = await startDesk(environment, { log: () => undefined })
  closing.defer(() => desk.stop())
  return { service, setPace, ...(await makeOwners(desk.url, signIn !== undefined)) }
}

/** Who plays the stories. Without sign-in all are the one person of the desk. */
type Owners = Readonly<Record<"delegator" | "approver" | "overseer", Owner>> & { readonly people: People | undefined }

type People = Readonly<Record<"ada" | "ben" | "emil", Owner>> & Readonly<Record<"adaId" | "emilId", string>>

async function makeOwners(deskUrl: string, hasPeople: boolean): Promise<Owners> {
  if (!hasPeople) {
    const one = new Owner(deskUrl)
    return { delegator: one, approver: one, overseer: one, people: undefined }
  }
  const [ada, emil] = [await signInAs(deskUrl, "ada"), await signInAs(deskUrl, "emil")]
  const people = {
    ada: new Owner(deskUrl, ada),
    ben: new Owner(deskUrl, await signInAs(deskUrl, "ben")),
    emil: new Owner(deskUrl, emil),
    adaId: ada["Desk-Person"],
    emilId: emil["Desk-Person"],
  }
  const overseer = new Owner(deskUrl, await signInAs(deskUrl, "dora"))
  return { delegator: people.ben, approver: people.ada, overseer, people }
}

/**
 * What people have done with the same items: a letter that needs two approvals has one, a question is handed over, a letter is set aside, and a
 * letter is given to somebody who is away.
 */
async function actAsTeam({ ada, ben, emil, adaId, emilId }: People, works: ReadonlyMap<string, string>): Promise<void> {
  const workOf = (title: string) => works.get(title) ?? title
  await emil.decide(workOf("Species sheet for the museum"), { decision: "approve" })
  const question = workOf("Tidy the handbook")
  await ben.putWhenReady("/desk/assignment", "none", {
    work: question,
    item: (await ben.waitForQuestion(question)).id,
    to: { person: adaId },
    note: "You wrote the chapter on travel. Please answer this one.",
  })
  const work = workOf("Everything we have, in one letter")
  const letter = await ada.waitForApproval(work)
  const version = String(letter.version)
  const until = new Date(Date.now() + 20 * HOUR_MS).toISOString()
  await ada.putWhenReady("/desk/aside", version, { work, item: letter.id, version, until })
  const roof = workOf("Rain days for the roof crew")
  await ada.putWhenReady("/desk/assignment", "none", {
    work: roof,
    item: (await ada.waitForApproval(roof)).id,
    to: { person: emilId },
    note: "You know the crew.",
  })
  await emil.putWhenReady("/desk/away", "none", {
    from: new Date().toISOString(),
    until: new Date(Date.now() + AWAY_DAYS * 24 * HOUR_MS).toISOString(),
    stand_in: adaId,
  })
}

/**
 * Delegates the Work of a story and takes the owner's actions. The Work gets a part of its age between the actions. With people, Work whose
 * story names no scope is the team's. Returns the id of the Work.
 */
async function play(
  service: RunningService,
  { delegator, approver, people }: Owners,
  story: Story,
  uploads: readonly string[],
): Promise<string> {
  const { inputs: _, due, age, actions = [], stopped, ...request } = story
  const { id } = await delegator.delegate({
    ...(people !== undefined && { visibility_scope: "team" }),
    ...request,
    ...(due !== undefined && { due_at: new Date(Date.now() + due * HOUR_MS).toISOString() }),
    input_upload_ids: [...uploads],
  })
  let ageLeft = age * HOUR_MS
  for (const [index, action] of actions.entries()) {
    await ("answer" in action ? delegator.waitForQuestion(id) : delegator.waitForApproval(id))
    // The owner took a quarter of the age before the first action, and three eighths of the age that is left before each later action.
    const delay = (ageLeft * (index === 0 ? 2 : 3)) / 8
    await service.backdate(id, delay)
    ageLeft -= delay
    await act("answer" in action ? delegator : approver, id, action)
  }
  await waitForEnd(delegator, id, story)
  if (stopped !== "at work" || ageLeft > 0) await service.backdate(id, ageLeft)
  return id
}

async function act(owner: Owner, id: string, action: OwnerAction): Promise<void> {
  if ("answer" in action) return owner.answer(id, action.answer)
  const { decide: decision, comment, wantsChange } = action
  return owner.decide(id, comment === undefined ? { decision } : { decision, comment }, wantsChange)
}

/** Waits until the colleague has taken the last step of the story. A later step would be younger than the story's age. */
async function waitForEnd(owner: Owner, id: string, story: Story): Promise<void> {
  const { colleague_id: colleague, objective, actions = [], stopped } = story
  if (stopped === "out of time") return owner.waitForStatus(id, "paused")
  if (stopped === "at work" || colleague === "metronome") return
  const decisions = actions.flatMap((action) => ("decide" in action ? [action.decide] : []))
  const approvals = objective.includes("approval:second") ? 2 : 1
  const asksForApproval = colleague === "analyst" && decisions.length < approvals && !decisions.includes("decline")
  if (actions.length === 0) await owner.waitForQuestion(id)
  else if (asksForApproval) await owner.waitForApproval(id)
  else await owner.waitForStatus(id, "done")
}

function readInput(name: string): CreateInputUploadRequest {
  const media_type = MEDIA_TYPES[name.split(".").at(-1) ?? ""] ?? "text/plain"
  return { name, media_type, content: readFileSync(join(import.meta.dirname, "inputs", name), "utf8") }
}
