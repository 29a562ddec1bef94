import type { Owner } from "../../src/demo/owner.ts"
import type { CreateInputUploadRequest } from "../../src/contract/resources.ts"

export type WorkInput = {
  readonly colleague: string
  readonly mediaType: CreateInputUploadRequest["media_type"]
  readonly content: string
}

/** Uploads an input, delegates a Work with that input, and returns the Work's id. */
export async function delegate(owner: Owner, { colleague, mediaType, content }: WorkInput): Promise<string> {
  const upload = await owner.upload({ name: "input", media_type: mediaType, content })
  const request = { colleague_id: colleague, objective: "Work on this", input_upload_ids: [upload] }
  return (await owner.delegate(request)).id
}
