/** Whether texts are the same to the rules and freezes of the desk. The app and the desk must agree. */

export const isSameText = (one: string, other: string) => plainForm(one) === plainForm(other)

/**
 * The form in which texts are compared: NFKC without letter case and without invisible characters, so that an invisible character does not
 * take a destination out of a rule. Lower case and then upper case makes the two sigmas equal, and ß and ẞ.
 */
export function plainForm(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}|\p{Cc}/gu, "")
    .toLowerCase()
    .toUpperCase()
    .normalize("NFKC")
    .trim()
}
