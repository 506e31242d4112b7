/** Answers of functions that catch their own errors: they look like success. */
import { isJsonObject, type JsonObject } from '../stores/ports/json.ts';
import { inWords } from '../observability/redaction/secrets.ts';
import { endInWord } from '../billing/payment-outcome.ts';
import type { ToolEffect } from './tool.ts';

/**
 * Returns whether an answer alone says how a write or payment ended. Of a payment, something has to speak for it: words
 * that aren't known, in any language, say nothing.
 */
export const isClear = (effect: ToolEffect, value: unknown): boolean => {
  if (effect !== 'payment') return !speaksOfFailure(value);
  if (!isJsonObject(value)) return false;
  const { status } = value;
  const end = typeof status === 'string' ? endInWord(status) : undefined;
  if (end === 'refused') return true;
  if (speaksOfFailure(value) || speaksAgainstPayment(value)) return false;
  return end === 'pending' || speaksForPayment(value);
};

/** Returns whether an object shows a payment: a yes, an end, a sentence or, without other words, its id or amount. */
const speaksForPayment = (value: unknown, depth = 0): boolean => {
  if (depth > deepest || typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.slice(0, mostItems).some((one) => speaksForPayment(one, depth + 1));
  const fields = Object.entries(value);
  const hasWords = fields.some(([name, field]) => isSaying(name) && typeof field === 'string');
  return fields.some(([name, field]) => {
    const words = inWords(name);
    if (successName.test(words) || madeName.test(words)) return isYes(field);
    if (endName.test(words)) return isGoodEnd(field);
    if (typeof field === 'string' && isSaying(name)) return saysPaid(field);
    if (typeof field === 'string' || typeof field === 'number')
      return !hasWords && recordName.test(words) && field !== 0 && field !== '';
    return (fields.length === 1 || isInner(words)) && speaksForPayment(field, depth + 1);
  });
};

const isYes = (field: unknown): boolean => field === true || /^\s*(?:true|yes|y|1|ok)\s*$/i.test(String(field));

/** A code of HTTP, of a bank, or in a word. */
const isGoodEnd = (end: unknown): boolean => {
  const word = String(end);
  return endInWord(word) === undefined && (saysPaid(word) || otherGoodEnds.test(word));
};

/** Returns whether a sentence says that money has moved, and nothing against it. Words that aren't known say nothing. */
export const saysPaid = (sentence: string): boolean =>
  !page.test(sentence) && wordsOfSuccess.test(wordsIn(sentence)) && !wordsAgainst.test(wordsIn(sentence));

/** `card_declined` is two words. */
const wordsIn = (text: string): string => text.slice(0, longestSentence).replaceAll('_', ' ');

const longestSentence = 1_000;

const wordsOfSuccess =
  /\b(?:true|ok|okay|done|succe\w+|completed?|paid|repaid|refunded|charged|credited|debited|captured|transferred|sent|issued|created|booked|placed|processed|confirmed|approved|made|executed)\b|✅/i;

/** A failure, a condition, a question, or a beginning. "Refund no. 5" is a number. */
const wordsAgainst = new RegExp(
  String.raw`\b(?:no(?!\.? ?\d)|not|none|nothing|never|cannot|errors?|fail(?:ed|s|ures?|ing)?|declin\w+|den(?:y|ied)|` +
    String.raw`refus\w+|reject\w+|invalid|unable|unauthori[sz]ed|unsuccessful\w*|forbidden|insufficient|missing|unknown|sorry|` +
    String.raw`timed? ?out|try again|cancell?ed|expired|exceed\w*|too (?:many|large|high|much)|pending|processing|` +
    String.raw`queued|scheduled|submitted|await\w*|waiting|requires?|required|needs?|must|would|dry[ -]?run|simulat\w+|` +
    String.raw`nein|nicht|kein\w*|abgelehnt|fehl\w+|pas|refus\w+|rechaz\w+|rifiutat\w+|recusad\w+|niet|ikke|inte)\b|n['’]t\b|\?|❌`,
  'i',
);

/** Returns whether an object says in words, by a status or by a yes and no that a payment isn't certainly made. */
const speaksAgainstPayment = (value: unknown, depth = 0): boolean => {
  if (depth > deepest) return false;
  if (Array.isArray(value)) return value.slice(0, mostItems).some((one) => speaksAgainstPayment(one, depth + 1));
  if (!isJsonObject(value)) return false;
  const fields = Object.entries(value);
  const isAlone = fields.length === 1;
  return fields.some(([name, field]) => {
    const words = inWords(name);
    if (unmadeName.test(words)) return isYes(field);
    if (madeName.test(words)) return !field || (typeof field === 'string' && no.test(field));
    if (typeof field === 'string') {
      if (successName.test(words)) return !isYes(field);
      // What is pending is read later.
      if (depth === 0 && words === 'status' && endInWord(field) === 'pending') return false;
      if (endName.test(words)) return !isGoodEnd(field);
      return isSaying(name) && (isAlone ? !saysPaid(field) : wordsAgainst.test(wordsIn(field)));
    }
    if (field === false) return isAlone && wrapperName.test(words);
    return (isAlone || isInner(words)) && speaksAgainstPayment(field, depth + 1);
  });
};

const endName =
  /^(?:(?:payment|refund|charge|transaction|order)_)?(?:status|state|estado|statut|stato|zustand)$|^(?:result|return|response)_code$/;
const otherGoodEnds = /^\s*(?:succe\w+|settled|partially[ _-]refunded|closed|active|posted|2\d\d|0+)\s*$/i;
const sayingName =
  /^(?:message|msg|text|details?|code|result|response|output|data|meldung|nachricht|mensaje|mensagem|messaggio|bericht|melding)$/;
const madeName = /^(?:paid|charged|completed|done|approved|accepted|processed|executed)$/;
const unmadeName =
  /^(?:declined|rejected|refused|denied|cancell?ed|voided|reversed|expired|pending|timed_?out|timeout)$/;
const paymentName = /^(?:payment|refund|charge|transaction|payment_intent|transfer|payout)s?$/;
const recordName =
  /(?:^|_)(?:id|number|no|reference|ref|receipt|url|link|amount|total|cents|refunded|charged|paid|balance)$/;

/** A name in letters that aren't Latin may be any. */
const isSaying = (name: string): boolean => sayingName.test(inWords(name)) || /(?!\p{Script=Latin})\p{L}/u.test(name);
const isInner = (words: string): boolean => wrapperName.test(words) || paymentName.test(words);

/**
 * Returns whether an answer speaks of a failure: a text that begins like one, or an object with an error, even next to
 * a `success`. Looks into objects that only wrap another.
 */
const speaksOfFailure = (value: unknown, depth = 0): boolean => {
  if (typeof value === 'string')
    return page.test(value) || failureText.test(value) || failureElsewhere.test(value) || isDenial(value);
  if (value === false) return true;
  if (depth > deepest) return false;
  if (Array.isArray(value))
    return value.slice(0, mostItems).some((one) => isRecord(one) && speaksOfFailure(one, depth + 1));
  if (!isJsonObject(value)) return false;
  const fields = Object.entries(value);
  const isExplained = fields.some(([name, field]) => typeof field === 'string' && explainingName.test(inWords(name)));
  return fields.some(([name, field]) => {
    const words = inWords(name);
    if (errorName.test(words)) return isSaid(field);
    if (successName.test(words)) return !field || (typeof field === 'string' && no.test(field));
    if (statusName.test(words)) return isFailedStatus(field);
    if (words === 'code' && isExplained) return typeof field === 'number' && isFailedStatus(field);
    const isAlone = fields.length === 1;
    if (typeof field === 'string' && (resultName.test(words) || (isAlone && sayingName.test(words))))
      return speaksOfFailure(field);
    if (field === false) return isAlone && resultName.test(words);
    const isWrapper = isAlone || wrapperName.test(words);
    return isWrapper && typeof field === 'object' && speaksOfFailure(field, depth + 1);
  });
};

const deepest = 4;
const mostItems = 100;

const isRecord = (value: unknown): value is JsonObject => isJsonObject(value);

const errorName =
  /^(?:user_|is_|has_)?(?:err|errors?|exceptions?|failures?|failed|faults?|decline|fehler|erreur|errore|erro|fout)(?:_(?:message|text|code|description|reason))?$/;
const successName = /^(?:is_)?(?:ok|success|successful|succeeded)$/;
const statusName = /^(?:status|status_code|http_(?:status|code|status_code)|state|ack)$/;
const explainingName = /^(?:message|msg|details?|description|title)$/;
const no = /^\s*(?:false|no|n|0|null|fail\w*|error)\s*$/i;
const resultName = /^(?:result|response|output)$/;
const wrapperName = /^(?:data|result|results|response|body|output|payload)$/;

/** An error of nothing is none: `null`, `false`, 0, an empty text, list or object. */
const isSaid = (error: unknown): boolean => {
  if (typeof error === 'string') return !/^\s*(?:none|no|ok|null|0)?\s*$/i.test(error);
  return typeof error === 'object' && error !== null ? Object.keys(error).length > 0 : Boolean(error);
};

/** Of HTTP, or in a word. */
const isFailedStatus = (status: unknown): boolean =>
  typeof status === 'number'
    ? status >= 400 && status < 600
    : /^(?:error|fail(?:ed|ure)?|[45]\d\d)$/i.test(String(status));

/** A page for people is no answer: a login, a gateway's error. */
const page = /^\s*<(?:!doctype html|html|head|body)\b/i;

/** Returns whether a sentence denies near its beginning what it was asked for, and speaks of no success. */
const isDenial = (text: string): boolean => {
  const words = wordsIn(text);
  return denial.test(words.slice(0, 100)) && !wordsOfSuccess.test(words) && !wordsOfWriting.test(words);
};

const denial =
  /\b(?:fail(?:ed|ure)|denied|not (?:found|allowed|permitted|authori[sz]ed|authenticated|possible)|exceeded|too many requests|no such|(?:do|does|have) not have|don[’']t have)\b/i;
const wordsOfWriting =
  /\b(?:added|noted|saved|stored|updated|changed|deleted|removed|cancelled|canceled|logged|recorded|written|posted)\b/i;

const failureText = new RegExp(
  String.raw`^\W*(?:(?:an?|the|tool|request|http|server|network|internal|unknown|unexpected) )*` +
    String.raw`(?:\w*(?:error|exception)|fail(?:ed|ure)?|could(?: not|n['’]t)|can(?:not|['’]t)|unable|invalid|` +
    String.raw`unauthori[sz]ed|forbidden|denied|rejected|declined|timed? ?out|sorry|something went wrong|[45]\d\d|false$)\b`,
  'i',
);

/** The same in other languages, as far as they have one word for it. */
const failureElsewhere =
  /^[^\p{L}\d]*(?:(?:fehler|fehlgeschlagen|erreur|échec|errore|erro|falha|fallo|falló|fout|mislukt|błąd|ошибка|ko|nok)(?![\p{L}\d])|エラー|失敗|失败|错误|錯誤|오류|실패)/iu;
