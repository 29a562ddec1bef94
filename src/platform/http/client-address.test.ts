import { describe, expect, it } from "vitest"
import { ConfigurationError } from "../configuration-error.ts"
import { clientOf, limitedAddress, readTrustedProxies } from "./client-address.ts"
import { send, startTestProxy } from "../../desk/testing/desk.ts"
import { startUpstream } from "../../desk/testing/upstreams.ts"

/** The client of a request from `peer` with this X-Forwarded-For. */
const clientFrom = (peer: string, forwarded: string | undefined, trusted: string | undefined) =>
  clientOf(
    { socket: { remoteAddress: peer }, headers: { "x-forwarded-for": forwarded } } as unknown as Parameters<
      typeof clientOf
    >[0],
    readTrustedProxies(trusted),
  )

describe("the client's address", () => {
  it.each([
    // Nobody is trusted, or the peer is not: what the header says counts for nothing.
    ["203.0.113.9", "198.51.100.1", undefined, "203.0.113.9"],
    ["203.0.113.9", "198.51.100.1", "10.0.0.0/8", "203.0.113.9"],
    // The last entry that is not trusted.
    ["10.0.0.1", "198.51.100.1", "10.0.0.0/8", "198.51.100.1"],
    ["10.0.0.1", "1.1.1.1, 198.51.100.1", "10.0.0.0/8", "198.51.100.1"],
    ["10.0.0.1", "198.51.100.1, 10.9.9.9", "10.0.0.0/8", "198.51.100.1"],
    ["10.0.0.1", "198.51.100.1,10.9.9.9,10.0.0.7", "10.0.0.0/8", "198.51.100.1"],
    // All are trusted: the first one.
    ["10.0.0.1", "10.1.1.1, 10.2.2.2", "10.0.0.0/8", "10.1.1.1"],
    ["10.0.0.1", undefined, "10.0.0.0/8", "10.0.0.1"],
    ["10.0.0.1", "", "10.0.0.0/8", "10.0.0.1"],
    // What is no address ends the list.
    ["10.0.0.1", "198.51.100.1, unknown, 10.2.2.2", "10.0.0.0/8", "10.2.2.2"],
    ["10.0.0.1", "198.51.100.1, unknown", "10.0.0.0/8", "10.0.0.1"],
    ["10.0.0.1", '198.51.100.1, "10.2.2.2"', "10.0.0.0/8", "10.0.0.1"],
    ["10.0.0.1", "198.51.100.1, 010.2.2.2", "10.0.0.0/8", "10.0.0.1"],
    ["10.0.0.1", "198.51.100.1,", "10.0.0.0/8", "10.0.0.1"],
    // A port is dropped.
    ["10.0.0.1", "198.51.100.1:4711", "10.0.0.1", "198.51.100.1"],
    ["10.0.0.1", "[2001:db8::1]:4711", "10.0.0.1", "2001:db8::1"],
    ["10.0.0.1", "[2001:db8::1]", "10.0.0.1", "2001:db8::1"],
    ["10.0.0.1", "198.51.100.1:x", "10.0.0.1", "10.0.0.1"],
    // An IPv4 address that is written as IPv6 is that IPv4 address.
    ["::ffff:10.0.0.1", "198.51.100.1", "10.0.0.0/8", "198.51.100.1"],
    ["::ffff:10.0.0.1", "::ffff:198.51.100.1", "::ffff:10.0.0.0/104", "198.51.100.1"],
    ["10.0.0.1", "198.51.100.1, ::FFFF:0a09:0909", "10.0.0.0/8", "198.51.100.1"],
    ["::ffff:203.0.113.9", "198.51.100.1", undefined, "203.0.113.9"],
    ["2001:db8:0:0::1", "198.51.100.1", "2001:0db8::/32, 10.0.0.1", "198.51.100.1"],
    ["10.0.0.1", "2001:DB8:0::9", " 10.0.0.1 ,10.0.0.2", "2001:db8::9"],
  ])("of %s with X-Forwarded-For %j, with TRUSTED_PROXIES %j, is %s", (peer, forwarded, trusted, client) => {
    expect(clientFrom(peer, forwarded, trusted)).toBe(client)
  })

  it.each(["", " ", ",", "10.0.0.1,", "10.0.0.0/33", "10.0.0.0/", "::/129", "balancer", "10.0.0.1:80", "fe80::1%eth0"])(
    "TRUSTED_PROXIES=%j ends the start",
    (value) => {
      expect(() => readTrustedProxies(value)).toThrow(ConfigurationError)
      expect(() => readTrustedProxies(value)).toThrow(/^TRUSTED_PROXIES /)
    },
  )

  it.each([
    ["198.51.100.1", "198.51.100.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::6", "2001:db8:1:2"],
    ["2001:db8::6", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
  ])("the requests of %s count for %s", (client, limited) => {
    expect(limitedAddress(client)).toBe(limited)
  })

  it("is in the line of each request, and a forged header changes nothing", async () => {
    const upstream = await startUpstream()
    const forged = { "X-Forwarded-For": "198.51.100.1" }
    const proxy = await startTestProxy(upstream.url)
    const behind = await startTestProxy(upstream.url, {
      configuration: { trustedProxies: readTrustedProxies("127.0.0.0/8") },
    })
    for (const { url } of [proxy, behind]) await send(url, "/api/v1/work", { headers: forged })
    await expect.poll(() => behind.logged).toHaveLength(1)
    const clients = [proxy, behind].map(({ logged }) => (JSON.parse(logged[0] ?? "") as { client: string }).client)
    expect(clients).toEqual(["127.0.0.1", "198.51.100.1"])
    expect(upstream.heard.every(({ headers }) => headers["x-forwarded-for"] === undefined)).toBe(true)
  })
})
