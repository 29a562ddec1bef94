import { expect, test } from "vitest"
import { operations } from "./operations.ts"
import { document, resolve } from "./testing/openapi.ts"
import {
  COMMENT_MAX_CHARACTERS,
  countBytes,
  countCharacters,
  EXECUTION_LIMIT_MAX_SECONDS,
  HEARTBEAT_SECONDS,
  IDEMPOTENCY_KEY_MAX_CHARACTERS,
  INPUTS_MAX,
  OBJECTIVE_MAX_CHARACTERS,
  RESPONSE_MAX_CHARACTERS,
  UPLOAD_MAX_BYTES,
  UPLOAD_MEDIA_TYPES,
  UPLOAD_NAME_MAX_CHARACTERS,
  WORK_PAGE_DEFAULT,
  WORK_PAGE_MAX,
} from "./limits.ts"

const components = resolve(document["components"], "components")

function propertiesOf(name: string) {
  return resolve(resolve(resolve(components["schemas"], "schemas")[name], name)["properties"], name)
}

test("the limits are those of openapi.yaml", () => {
  expect(propertiesOf("CreateWorkRequest")).toMatchObject({
    objective: { minLength: 1, maxLength: OBJECTIVE_MAX_CHARACTERS },
    active_execution_limit_seconds: { minimum: 1, maximum: EXECUTION_LIMIT_MAX_SECONDS },
    input_upload_ids: { maxItems: INPUTS_MAX, uniqueItems: true },
  })
  expect(propertiesOf("CreateInputUploadRequest")).toMatchObject({
    name: { minLength: 1, maxLength: UPLOAD_NAME_MAX_CHARACTERS },
    media_type: { enum: [...UPLOAD_MEDIA_TYPES] },
    content: { minLength: 1, maxLength: UPLOAD_MAX_BYTES },
  })
  expect(propertiesOf("InputUpload")).toMatchObject({ size: { maximum: UPLOAD_MAX_BYTES } })
  expect(propertiesOf("ResolveAttentionRequest")).toMatchObject({ response: { maxLength: RESPONSE_MAX_CHARACTERS } })
  expect(propertiesOf("ResolveApprovalRequest")).toMatchObject({ comment: { maxLength: COMMENT_MAX_CHARACTERS } })
})

test("the parameters' limits are those of openapi.yaml", () => {
  const limit = operations.listWork.parameters.find(({ name }) => name === "limit")
  expect(limit?.schema).toMatchObject({ minimum: 1, default: WORK_PAGE_DEFAULT, maximum: WORK_PAGE_MAX })
  const key = operations.createWork.parameters.find(({ name }) => name === "Idempotency-Key")
  expect(key?.schema).toMatchObject({ minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX_CHARACTERS })
})

test("the limits are those of the API's section Limits", () => {
  expect([OBJECTIVE_MAX_CHARACTERS, RESPONSE_MAX_CHARACTERS, COMMENT_MAX_CHARACTERS]).toEqual([4000, 4000, 2000])
  expect([UPLOAD_NAME_MAX_CHARACTERS, UPLOAD_MAX_BYTES, INPUTS_MAX]).toEqual([120, 102400, 4])
  expect([EXECUTION_LIMIT_MAX_SECONDS, IDEMPOTENCY_KEY_MAX_CHARACTERS, HEARTBEAT_SECONDS]).toEqual([86400, 255, 15])
  expect([WORK_PAGE_DEFAULT, WORK_PAGE_MAX]).toEqual([50, 100])
})

test.each([
  ["", 0, 0],
  ["abc", 3, 3],
  ["é", 1, 2],
  ["e\u0301", 2, 3],
  ["€", 1, 3],
  ["😀", 1, 4],
  ["👩‍💻", 3, 11],
  ["\ud800", 1, 3],
  ["\udc00\ud800x", 3, 7],
])("%j has %i characters and %i bytes", (text, characters, bytes) => {
  expect(countCharacters(text)).toBe(characters)
  expect(countBytes(text)).toBe(bytes)
})
