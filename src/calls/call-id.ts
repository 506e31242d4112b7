import { InvalidArgumentError } from '../errors.ts';

/**
 * Throws `InvalidArgumentError` for the id of a phone call that many phone calls would share: a placeholder that was never
 * filled in, or a word for nothing.
 */
export const assertCallId = (callId: unknown): void => {
  if (!isCallId(callId)) throw notCallId();
};

export const notCallId = (): InvalidArgumentError =>
  new InvalidArgumentError(
    'callId',
    'must be the id that your telephone platform gave the call: a placeholder was never filled in',
  );

export const isCallId = (callId: unknown): boolean => {
  if (typeof callId !== 'string') return false;
  const text = callId.replaceAll(/\p{C}/gu, '').trim();
  const letters = text.replaceAll(/[\s:_./-]+/g, '');
  return hasContent.test(text) && !isUnfilled(text) && !nothing.test(letters) && !nameOfId.test(letters);
};

/** Returns whether a text is a variable of a template instead of its value: `{{call_id}}`, `${call_id}`, `<call_id>`. */
export const isUnfilled = (text: string): boolean =>
  template.test(text) || (variable.test(text) && (text.match(/\d/g) ?? []).length <= mostDigits);

const template = /\{\{|%7b%7b|[#$%@]\{|[$%]\(|<%|&lt;|\[object \w+\]/i;

/** A name behind the sign that begins a variable. */
const variable = /^(?:[{<[(%$:]|__)[\s\w.$:'"/{}<>[\]()%-]*$/;

/** An id in brackets has more. */
const mostDigits = 3;

const hasContent = /[\p{L}\p{N}]/u;

/** Several of them too, such as `undefined-undefined`. */
const nothing =
  /^(?:(?:undefined|null|none|nil|nan|unknown|unset|empty|missing|false)+|na|not(?:set|found|available|provided)|0+)$/i;

const nameOfId =
  /^(?:your|my|the|insert|enter|some)?(?:system)?(?:phone)?(?:call|conversation|session)(?:control)?(?:id|sid|uuid)(?:here)?$/i;
