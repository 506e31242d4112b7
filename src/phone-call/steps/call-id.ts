import { InvalidArgumentError } from '../../core/errors.ts';

/**
 * Throws `InvalidArgumentError` for an id that many phone calls would share: an unfilled placeholder, or a word for
 * nothing.
 */
export const assertCallId = (callId: unknown): void => {
  if (!isCallId(callId)) throw notCallId();
};

export const notCallId = (): InvalidArgumentError =>
  new InvalidArgumentError(
    'callId',
    'must be the id that your telephone platform gave the call: a placeholder was never filled in',
  );

export const isCallId = (callId: unknown): callId is string => {
  if (typeof callId !== 'string') return false;
  const text = callId.replaceAll(/\p{C}/gu, '').trim();
  const words = text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const letters = words.join('');
  return letters !== '' && !isUnfilled(text) && !nothing.test(letters) && !isNameOfId(letters) && !holdsNothing(words);
};

/** Returns whether a text is a variable of a template instead of its value: `{{call_id}}`, `${call_id}`, `<call_id>`. */
export const isUnfilled = (text: string): boolean =>
  template.test(text) || (variable.test(text) && digitsIn(text) <= mostDigits);

const template = /\{\{|%7b%7b|[#$%@]\{|[$%]\(|<%|&lt;|\[object \w+\]/i;

/** A name behind the sign that begins a variable. */
const variable = /^(?:[{<[(%$:]|__)[\s\w.$:'"/{}<>[\]()%-]*$/;

/** An id in brackets has more. */
const mostDigits = 3;

/** Several of them too, such as `undefined-undefined`. */
const nothing =
  /^(?:(?:undefined|null|none|nil|nan|unknown|unset|empty|missing|false)+|true|infinity|default|string|placeholder|anonymous|na|not(?:set|found|available|provided)|0+)$/i;

/** `call-undefined` is the same for every phone call; `acme-null-1732698765` isn't. */
const holdsNothing = (words: readonly string[]): boolean =>
  words.some((word) => /^(?:undefined|null|none|nil|nan)$/i.test(word)) && digitsIn(words.join('')) <= mostDigits;

/** `YOUR_CALL_ID`, and what leads to it, such as `req.body.call_id`. */
const isNameOfId = (letters: string): boolean => nameOfId.test(letters) && digitsIn(letters) === 0;

const nameOfId =
  /(?:(?:call|conversation|session|stream|contact|interaction|request|leg|channel|room)(?:control)?(?:id|sid|uuid)|roomname|channelname)(?:here)?$/i;

const digitsIn = (text: string): number => (text.match(/\d/g) ?? []).length;
