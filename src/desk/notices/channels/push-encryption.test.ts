import { createECDH } from "node:crypto"
import { expect, test } from "vitest"
import { encryptPush, readDeviceKeys } from "./push-encryption.ts"
import { decryptPush, newBrowserKeys } from "./push-receiver.ts"

const P256DH = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
const AUTH = "BTBZMqHH6r4Tts7J_aSIgg"

test("the example of RFC 8291, 5, byte for byte", () => {
  const keys = readDeviceKeys(P256DH, AUTH)
  const key = createECDH("prime256v1")
  key.setPrivateKey(Buffer.from("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", "base64url"))
  const salt = Buffer.from("DGv6ra1nlYgDCS1FRnbzlw", "base64url")
  if (keys === undefined) throw new Error("the keys of the example are refused")
  expect(encryptPush("When I grow up, I want to be a watermelon", keys, { key, salt }).toString("base64url")).toBe(
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
  )
})

test("each message has a new key and a new salt, and only the browser's own keys open it", () => {
  const browser = newBrowserKeys()
  const keys = readDeviceKeys(browser.keys.p256dh, browser.keys.auth)
  if (keys === undefined) throw new Error("the keys of a browser are refused")
  const [one, other] = [encryptPush("text", keys), encryptPush("text", keys)]
  expect([decryptPush(one, browser), decryptPush(other, browser)]).toEqual(["text", "text"])
  expect(one.subarray(0, 86)).not.toEqual(other.subarray(0, 86))
  expect(() => decryptPush(one, newBrowserKeys())).toThrow()
})

test.each([
  ["no base64url", "+/+/", AUTH],
  ["too short a point", P256DH.slice(0, 80), AUTH],
  ["a point that is not on the curve", Buffer.alloc(65, 4).toString("base64url"), AUTH],
  ["too short a secret", P256DH, AUTH.slice(0, 16)],
  ["nothing", "", ""],
])("keys with %s are refused", (_, p256dh, auth) => {
  expect(readDeviceKeys(p256dh, auth)).toBeUndefined()
})
