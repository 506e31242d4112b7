/** The reason why a model stopped, in the word of its provider. */

/**
 * Returns whether a message ended before the model was done: at a limit of tokens, by a filter, an error or an
 * interruption.  None of the calls of such a message runs, look-ups included. The last one lacks its end, and several
 * packages repair its JSON, so that it looks whole. Half an amount is another amount, half an e-mail address another
 * person's. The last call isn't always known. A look-up that a target had started before the end of the message goes
 * on.
 *  Providers add words. Words for a limit or a filter resemble each other, so this reads their common parts. Any other
 * word counts as the end of a whole message.
 */
export const isCutOff = (finishReason: unknown): boolean =>
  typeof finishReason === 'string' && cutWords.test(finishReason.replaceAll(/[\s_-]/g, ''));

const cutWords =
  /length|max|limit|exceed|window|incomplete|truncat|malformed|filter|refus|safety|recitation|block|prohibited|spii|guardrail|sensitive|error|fail|cancel|abort|interrupt|timeout|unexpected|toomany|insufficient/i;

/** The first of these reasons that says that the message was cut. */
export const cutReasonOf = (...reasons: readonly unknown[]): string | undefined =>
  reasons.find((reason): reason is string => isCutOff(reason));
