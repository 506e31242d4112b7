import type { ApiProblem } from '../../errors.ts';
import type { HttpResponse } from '../../http/response.ts';
import { jsonOf } from './json-of.ts';

/** The codes, messages and fields of an answer, and the records it names: of an error list, or of a doubled external id. */
export const problemsOf = ({ status, text }: HttpResponse): readonly ApiProblem[] => {
  const json = jsonOf(text);
  // What was refused with `success: false` lists its errors below it.
  const answer = listOf(fieldsOf(json)['errors'] ?? json);
  if (status === 300) return severalMatch(answer);
  return answer.filter(isFields).flatMap((problem) => {
    // Items of collections spell it the second way.
    const code = problem['errorCode'] ?? problem['statusCode'];
    if (typeof code !== 'string') return [];
    const { message, fields } = problem;
    const ids = [...idsOfMatches(problem), ...idsInMessage(code, message)];
    return {
      code,
      ...(typeof message === 'string' ? { message } : {}),
      ...(Array.isArray(fields) ? { fields: fields.filter(isText) } : {}),
      ...(ids.length > 0 ? { ids } : {}),
    };
  });
};

/** A bare list of addresses: `/services/data/v60.0/sobjects/Lead/00Q…`. */
const severalMatch = (addresses: readonly unknown[]): readonly ApiProblem[] => [
  {
    code: 'DUPLICATE_EXTERNAL_ID',
    message: 'several records have this external id',
    ids: addresses.filter(isText).flatMap((address) => /\/(\w{15,18})$/.exec(address)?.[1] ?? []),
  },
];

/** Salesforce has spelt the name both ways. */
const idsOfMatches = (problem: Fields): readonly string[] => {
  const result = fieldsOf(problem['duplicateResult'] ?? problem['duplicateResut']);
  return listOf(result['matchResults']).flatMap((match) =>
    listOf(fieldsOf(match)['matchRecords']).flatMap((matched) => {
      const { Id } = fieldsOf(fieldsOf(matched)['record']);
      return isText(Id) ? [Id] : [];
    }),
  );
};

/** `duplicate value found: Email duplicates value on record with id: 00Q…` */
const idsInMessage = (code: string, message: unknown): readonly string[] =>
  code === 'DUPLICATE_VALUE' && isText(message) ? (/\bid\s*[:=]\s*(\w+)/.exec(message)?.slice(1, 2) ?? []) : [];

type Fields = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === 'string';
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
