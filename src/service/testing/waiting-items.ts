/** Starts a service for a test, with functions that create a question or a letter, each in Work that everybody sees. */
import { TEST_COLLEAGUES } from "./colleagues.ts"
import { ALICE, serviceForTest } from "./test-service.ts"

type Item = { readonly work: string; readonly item: string }

export async function serviceWithItems() {
  const service = await serviceForTest({ registry: TEST_COLLEAGUES })
  return { url: service.url, token: ALICE, newQuestion, newLetter }

  async function newQuestion(): Promise<Item> {
    const work = await service.work({ colleague_id: "clerk", visibility_scope: "organization" })
    return { work, item: await service.first(work, "attention") }
  }

  async function newLetter(): Promise<Item> {
    const { work } = await newQuestion()
    await service.answer(work)
    return { work, item: await service.first(work, "approvals?status=pending") }
  }
}
