/** Fills a store of the embedded service with many Works. Through the API that would take minutes. */
import { openStore } from "../../src/service/store/open-service-store.ts"
import type { Store } from "../../src/service/store/store.ts"

type Values = Parameters<Store["insert"]>[1]

export type StoredWork = {
  /** The columns in which this Work differs from the one below. */
  readonly work: Values
  /** Whether the Work waits for an approval. */
  readonly hasApproval?: boolean
}

/** Stores Works `work_0`, `work_1` and so on, each a second newer than the one before. */
export function fillStore(dataFolder: string, count: number, { work, hasApproval = false }: StoredWork): void {
  const opened = openStore(dataFolder)
  const { store } = opened
  const written = store.effect(() => {
    for (let index = 0; index < count; index++) {
      const at = 1.7e12 + index * 1_000
      store.insert("work", {
        id: `work_${index}`,
        title: `Work ${index}`,
        objective: "Something to do. ".repeat(10),
        visibility_scope: "private",
        priority: "normal",
        version: 2,
        created_at: at,
        updated_at: at,
        ...work,
      })
      if (hasApproval) store.insert("approval", approvalOf(index, at))
    }
  })
  written.catch((error: unknown) => console.error(error))
  opened.close()
}

function approvalOf(index: number, at: number): Values {
  return {
    id: `approval_${index}`,
    work_id: `work_${index}`,
    action_id: `action_${index}`,
    requested_by_colleague: "courier",
    summary: `Send letter ${index}`,
    risk: "low",
    destination: "post@example.com",
    subject: `Letter ${index}`,
    body: "A line of the letter. ".repeat(20),
    payload_hash: "sha256:0",
    policy_reason: "Every letter needs an approval",
    status: "pending",
    version: 1,
    created_at: at,
  }
}
