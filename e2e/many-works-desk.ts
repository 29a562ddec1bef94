/** A desk in front of `many-works.ts`, and an independent count of what its API answers. */
import { expect } from "@playwright/test"
import type { Approval, Attention, Work } from "../src/contract/resources.ts"
import { type ManyWorks, startManyWorks } from "./many-works.ts"
import { type Desk, startDesk } from "./start-desk.ts"

const AT_ONCE = 20

/** Calls `run` with a desk that has `open` open and `done` done Works. */
export async function withDesk(open: number, done: number, run: (desk: Desk, upstream: ManyWorks) => Promise<void>) {
  const upstream = await startManyWorks(open, done)
  const desk = await startDesk({ environment: { WORK_API_URL: upstream.url } })
  try {
    await run(desk, upstream)
  } finally {
    await desk.stop()
    upstream.stop()
  }
}

async function read<Body>(url: string): Promise<Body> {
  const response = await fetch(url)
  expect(response.status, url).toBe(200)
  return (await response.json()) as Body
}

/** All Work and items of the API, read from the upstream and not through the desk. */
export async function readAll({ url }: ManyWorks) {
  const works: Work[] = []
  for (let cursor: string | undefined = "0"; cursor !== undefined;) {
    const page: { data: Work[]; next_cursor?: string } = await read(`${url}/api/v1/work?limit=100&cursor=${cursor}`)
    works.push(...page.data)
    cursor = page.next_cursor
  }
  const open = works.filter(({ status }) => status !== "done")
  const items = async <Item>(kind: string) => {
    const found: Item[] = []
    for (let start = 0; start < open.length; start += AT_ONCE) {
      const pages = open
        .slice(start, start + AT_ONCE)
        .map(({ id }) => read<{ data: Item[] }>(`${url}/api/v1/work/${id}/${kind}`))
      found.push(...(await Promise.all(pages)).flatMap(({ data }) => data))
    }
    return found
  }
  const approvals = await items<Approval>("approvals")
  const attention = await items<Attention>("attention")
  return {
    works,
    open,
    waiting: [...attention, ...approvals.filter(({ status }) => status === "pending")],
    questions: attention.length,
  }
}

/** Waits until the desk has read all Work, and the done Work of the last weeks. */
export async function gathered(desk: Desk): Promise<void> {
  await expect
    .poll(
      async () => {
        const overview = await read<{ complete: boolean; done_complete: boolean }>(`${desk.url}/desk/overview`)
        return overview.complete && overview.done_complete
      },
      { timeout: 300_000 },
    )
    .toBe(true)
}
