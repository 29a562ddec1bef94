import { expect, test } from "vitest"
import { verify } from "../chain-verification.ts"
import { ada, approval, ben, decision, describeDesks, sqliteDesk, success, TWO } from "../testing/deciding.ts"

const declined = success({ ...approval(), status: "declined", version: 2, resolution_actor: "sa_demo" })
const decline = (more: object = {}) => decision({ decide: "decline", wantsChange: true, ...more })

describeDesks("a decline that asks for a change", ({ newDesk }) => {
  test("says so in the record, within the chain, and no other row has the member", async () => {
    const desk = await newDesk()
    await desk.send(ada, decision({ decide: "decline" }), declined)
    await desk.send(ada, decline(), declined)
    expect(await desk.entries()).toMatchObject([
      { operation: "resolveWorkApproval", decision: "decline", wants_change: true, outcome: "recorded" },
      { decision: "decline" },
    ])
    const rows = (await desk.database.read("SELECT entry FROM record ORDER BY sequence")).map((row) =>
      String(row["entry"]),
    )
    expect(rows.map((row) => row.includes("wants_change"))).toEqual([false, false, true, false])
    expect((await verify(desk.database)).faults).toEqual([])
    const removed = (rows[2] ?? "").replace(',"wants_change":true', "")
    await desk.database.write("UPDATE record SET entry = ? WHERE sequence = 3", removed)
    expect((await verify(desk.database)).faults).toEqual(["Row 3 was changed."])
  })

  test("is replayed under its key with the header or without: each row says what its own request asked", async () => {
    const desk = await newDesk()
    const sent = decline()
    await desk.send(ada, sent, { kind: "none" })
    desk.approvals = [approval({ status: "declined", version: 2 })]
    const replayed = { ...declined, replayed: true } as const
    await desk.send(ada, sent, replayed)
    await desk.send(ada, { ...sent, wantsChange: false }, replayed)
    const told = (await desk.entries()).map(({ wants_change: wants, outcome }) => [wants, outcome])
    expect(told).toEqual([
      [undefined, "recorded"],
      [true, "recorded"],
      [true, "recorded"],
    ])
  })

  test("ends at once what two must approve, and what the desk held is gone", async () => {
    const desk = await newDesk()
    desk.rules(TWO)
    expect(await desk.holds(ada, decision())).toEqual(["Ada"])
    await desk.send(ben, decline(), declined)
    expect(await desk.withdraw(ada)).toBe(404)
  })

  test("of another version is refused, and a rule that forbids to approve does not matter", async () => {
    const desk = await newDesk()
    desk.rules({ destination: "*", approvers: ["group:nobody"] })
    await desk.refuses(ada, decline({ ifMatch: '"7"' }), 412, "PROXY_VERSION_STALE")
    await desk.refuses(ada, decision(), 403, "PROXY_RULE")
    await desk.send(ada, decline(), declined)
  })
})

test.each(["local", "sign-in"] as const)(
  "in %s mode the header is refused with anything but a decline",
  async (mode) => {
    const desk = await sqliteDesk(mode)
    await desk.refuses(ada, decision({ wantsChange: true }), 400, "PROXY_BODY_INVALID")
    expect(await desk.entries()).toEqual([])
    await desk.send(ada, decline(), declined)
    expect(await desk.entries()).toMatchObject([{ decision: "decline", wants_change: true }])
  },
)
