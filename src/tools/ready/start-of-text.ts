/** The beginning of a text that costs a model about as many tokens as `length` characters of English. */
export const startOfText = (text: string, length: number): string => {
  let end = 0;
  let cost = 0;
  for (const character of text) {
    cost += costOf(character.codePointAt(0) ?? 0);
    if (cost > length) break;
    end += character.length;
  }
  return text.slice(0, end);
};

/** A token is about four letters of Latin script, two of Cyrillic or Arabic, and one of Chinese or Japanese. */
const costOf = (codePoint: number): number => {
  if (codePoint < 0x0250) return 1;
  return codePoint < 0x2e80 ? 2 : 4;
};
