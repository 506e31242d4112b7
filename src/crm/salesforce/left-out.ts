import type { CrmDialect } from '../dialect.ts';

/**
 * The fields of a write that the org hasn't, hides from its user or lets it only read: a refusal names them one by one.
 * Those without which there's no such record stay.
 */
export const leftOutOf: CrmDialect['leavesOut'] = (_object, fields, problems = []) => {
  const named = problems.flatMap(({ code, message = '', fields: names = [] }) => {
    if (code === 'INVALID_FIELD_FOR_INSERT_UPDATE') return names;
    return code === 'INVALID_FIELD' ? (/No such column '(\w{1,80})' on sobject/.exec(message)?.slice(1) ?? []) : [];
  });
  return Object.keys(fields).filter((field) => named.includes(field) && !needed.includes(field));
};

const needed: readonly string[] = [
  'Description',
  'LastName',
  'Company',
  'Name',
  'StageName',
  'CloseDate',
  'WhoId',
  'WhatId',
];
