/**
 * Returns whether every provider takes a pattern. They compile it to an automaton, which can't look around or back.
 * OpenAI refuses the whole request for one: https://developers.openai.com/api/docs/guides/structured-outputs
 */
export const isPlainPattern = (pattern: string): boolean => {
  try {
    // One of another language, such as `(?P<year>…)`, throws. An escaped backslash begins nothing.
    return new RegExp(pattern).source !== '' && !notPlain.test(pattern.replaceAll('\\\\', ''));
  } catch {
    return false;
  }
};

/**
 * In this order: groups other than `(` and `(?:`, back references, word boundaries, Unicode properties, control
 * characters. Then classes of nothing and of everything, and repetitions of a thousand or more.
 */
const notPlain = /(?<!\\)\(\?(?!:)|\\[1-9k]|\\[bB]|\\[pPcu]|\[\^?\]|\{\d*,?\d{4,}/;
