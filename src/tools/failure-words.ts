/** Answers of functions that catch their own errors: they look like success. */
import { isJsonObject, type JsonObject } from '../stores/ports/json.ts';
import { inWords } from '../observability/redaction/secrets.ts';
import { endInWord } from '../phone-call/steps/take-payment.ts';
import type { ToolEffect } from './tool.ts';

/** Returns whether an answer alone says how a write or payment ended. In words, a payment's end is anyone's guess. */
export const isClear = (effect: ToolEffect, value: unknown): boolean => {
  if (effect !== 'payment') return !speaksOfFailure(value);
  if (!isJsonObject(value)) return false;
  const { status } = value;
  return (typeof status === 'string' && endInWord(status) === 'refused') || !speaksOfFailure(value);
};

/**
 * Returns whether an answer speaks of a failure: a text that begins like one, or an object with an error, even next to
 * a `success`. Looks into objects that only wrap another.
 */
const speaksOfFailure = (value: unknown, depth = 0): boolean => {
  if (typeof value === 'string') return failureText.test(value);
  if (depth > deepest) return false;
  if (Array.isArray(value))
    return value.slice(0, mostItems).some((one) => isRecord(one) && speaksOfFailure(one, depth + 1));
  if (!isJsonObject(value)) return false;
  const fields = Object.entries(value);
  return fields.some(([name, field]) => {
    const words = inWords(name);
    if (errorName.test(words)) return isSaid(field);
    if (successName.test(words)) return field === false || field === 0 || field === 'false';
    if (statusName.test(words)) return isFailedStatus(field);
    const isWrapper = fields.length === 1 || wrapperName.test(words);
    return isWrapper && typeof field === 'object' && speaksOfFailure(field, depth + 1);
  });
};

const deepest = 4;
const mostItems = 100;

const isRecord = (value: unknown): value is JsonObject => isJsonObject(value);

const errorName = /^(?:user_)?(?:err|errors?|exceptions?)(?:_(?:message|text|code|description))?$/;
const successName = /^(?:is_)?(?:ok|success|successful|succeeded)$/;
const statusName = /^(?:status|status_code|http_status)$/;
const wrapperName = /^(?:data|result|results|response|body|output|payload)$/;

/** An error of nothing is none: `null`, `false`, 0, an empty text, list or object. */
const isSaid = (error: unknown): boolean => {
  if (typeof error === 'string') return !/^\s*(?:none|no|ok|null|0)?\s*$/i.test(error);
  return typeof error === 'object' && error !== null ? Object.keys(error).length > 0 : Boolean(error);
};

/** Of HTTP, or in a word. */
const isFailedStatus = (status: unknown): boolean =>
  typeof status === 'number' ? status >= 400 && status < 600 : /^(?:error|fail(?:ed|ure)?)$/i.test(String(status));

const failureText = new RegExp(
  String.raw`^\W*(?:(?:an?|the|tool|request|http|server|network|internal|unknown|unexpected) )*` +
    String.raw`(?:\w*(?:error|exception)|fail(?:ed|ure)?|could(?: not|n['’]t)|can(?:not|['’]t)|unable|invalid|` +
    String.raw`unauthori[sz]ed|forbidden|denied|rejected|declined|timed? ?out|sorry|something went wrong|[45]\d\d)\b`,
  'i',
);
