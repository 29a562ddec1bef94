/** A service with a question and a letter, each in Work that everybody sees. */
import { TEST_COLLEAGUES } from "./colleagues.ts"
import { ALICE, serviceForTest } from "./test-service.ts"

export async function serviceWithItems() {
  const service = await serviceForTest({ registry: TEST_COLLEAGUES })
  const [work, other] = [await newWork(), await newWork()]
  const question = await service.first(work, "attention")
  await service.answer(other)
  const approval = await service.first(other, "approvals?status=pending")
  return { url: service.url, token: ALICE, items: { work, question, other, approval } }

  function newWork() {
    return service.work({ colleague_id: "clerk", visibility_scope: "organization" })
  }
}
