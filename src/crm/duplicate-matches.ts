import { fieldsOf, type JsonObject, objectsIn } from '../stores/ports/json.ts';

/** A record that a refused one duplicates, and its type where the CRM says it. */
export interface DuplicateMatch {
  readonly id: string;
  readonly type: unknown;
}

/** The records that one error of a list names as duplicates, in its fields or in its message. */
export const duplicateMatches = (problem: JsonObject): readonly DuplicateMatch[] => [
  ...inResult(problem),
  ...inMessage(problem),
];

/** Salesforce spells the field `duplicateResut` in some versions. */
const inResult = (problem: JsonObject): readonly DuplicateMatch[] => {
  const { matchResults } = fieldsOf(problem['duplicateResult'] ?? problem['duplicateResut']);
  return objectsIn(matchResults).flatMap(({ entityType, matchRecords }) =>
    objectsIn(matchRecords).flatMap((matched) => {
      const { Id: id, attributes } = fieldsOf(matched['record']);
      return typeof id === 'string' ? [{ id, type: entityType ?? fieldsOf(attributes)['type'] }] : [];
    }),
  );
};

/** `duplicate value found: Email duplicates value on record with id: 00Q…` */
const inMessage = ({ errorCode, statusCode, message }: JsonObject): readonly DuplicateMatch[] => {
  if ((errorCode ?? statusCode) !== 'DUPLICATE_VALUE' || typeof message !== 'string') return [];
  const [, id] = /\bid\s*[:=]\s*(\w+)/.exec(message) ?? [];
  return id === undefined ? [] : [{ id, type: undefined }];
};
