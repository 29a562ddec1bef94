import { describe, expect, it } from "vitest"
import { findChoices, withChoice } from "./answer-choices.ts"

const choicesOf = (title: string, happened = "") => findChoices({ title, what_happened: happened })

describe("the choices of a question", () => {
  it.each([
    ["What shall I do with the notes: leave, tidy or repair?", ["leave", "tidy", "repair"]],
    ["Keep it: yes or no?", ["yes", "no"]],
    ["At 14:30 I found two: the first, the second, or both?", ["the first", "the second", "both"]],
    ["Which should I keep\n- the first row\n- the second row", ["the first row", "the second row"]],
    ["1. Leave it\n2. Repair it", ["Leave it", "Repair it"]],
    ["Should I wait or go on?", ["wait", "go on"]],
    ["Which column matters most?", []],
    ["One: a, b, c, d, e, f or g?", []],
    [`Which one: ${"x".repeat(61)} or b?`, []],
    [`Which one: ${"x".repeat(60)} or b?`, ["x".repeat(60), "b"]],
    ["Pick: a or b? I prefer a.", []],
    ["- only one line", []],
    ["", []],
  ])("%j has %j", (title, choices) => {
    expect(choicesOf(title)).toEqual(choices)
  })

  it("come from the title, or from what happened if the title has none", () => {
    expect(choicesOf("Which file?", "I found two: old.csv or new.csv?")).toEqual(["old.csv", "new.csv"])
    expect(choicesOf("Keep it: yes or no?", "I found two: old.csv or new.csv?")).toEqual(["yes", "no"])
  })

  it("fill an empty answer, replace another choice, and are otherwise added as a line", () => {
    const choices = ["leave", "tidy"]
    expect(withChoice("", "tidy", choices)).toBe("tidy")
    expect(withChoice("leave", "tidy", choices)).toBe("tidy")
    expect(withChoice("leave it", "tidy", choices)).toBe("leave it\ntidy")
  })
})
