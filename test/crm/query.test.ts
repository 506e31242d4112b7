import { describe, expect, test } from 'vitest';
import { quote, writeConditions, writeQuery } from '../../src/crm/query.ts';
import type { Condition, ConditionGroup } from '../../src/crm/where.ts';
import { evaluateSoql } from '../../src/dev/testing/soql/evaluate.ts';
import { parseSoql } from '../../src/dev/testing/soql/parse.ts';
import { createLocalClock } from '../../src/core/local-clock.ts';
import fc from '../support/fast-check.ts';

const isOpen: Condition = { field: 'IsConverted', operator: '=', value: false };

test.each([
  ['America/Los_Angeles', '2026-11-26'],
  ['Pacific/Auckland', '2026-11-27'],
  [undefined, '2026-11-27'],
])('in %s, a field for a day is compared with the day of a moment there', (timeZone, day) => {
  const evening = new Date('2026-11-27T03:30:00Z');
  const where = {
    all: [
      { field: 'CloseDate', operator: '<', value: evening },
      { not: { any: [{ field: 'CloseDate', operator: 'in', value: [evening] }] } },
      { field: 'CreatedDate', operator: '<', value: evening },
    ],
  } as const;

  expect(writeQuery({ select: ['Id'], from: 'Opportunity', where }, createLocalClock(timeZone))).toBe(
    `SELECT Id FROM Opportunity WHERE CloseDate < ${day} AND (NOT CloseDate IN (${day})) AND CreatedDate < 2026-11-27T03:30:00.000Z`,
  );
});

test('values become literals, names stay names', () => {
  expect(
    writeQuery({
      select: ['Id', 'Status'],
      from: 'Lead',
      where: {
        all: [
          { field: 'Email', operator: '=', value: "o'hara\\@example.com" },
          { field: 'IsConverted', operator: '=', value: false },
          { field: 'Lead_Score__c', operator: '=', value: 7.5 },
        ],
      },
      orderBy: [{ field: 'LastModifiedDate', direction: 'desc' }],
    }),
  ).toBe(
    "SELECT Id, Status FROM Lead WHERE Email = 'o\\'hara\\\\@example.com' AND IsConverted = false AND Lead_Score__c = 7.5 ORDER BY LastModifiedDate DESC",
  );
});

test.each([
  ["'", "'\\''"],
  ['\\', "'\\\\'"],
  ["\\'", "'\\\\\\''"],
  ["' OR Name != '", "'\\' OR Name != \\''"],
])('%s is quoted as %s', (value, quoted) => {
  expect(quote(value)).toBe(quoted);
});

test.each<[what: string, where: object | null, message: string]>([
  ['two groups', { any: [isOpen], all: [isOpen] }, 'where must be one of all, any, not and a field'],
  ['a negation and a field', { not: isOpen, ...isOpen }, 'where must be one of all, any, not and a field'],
  ['an empty value', null, 'where must be a condition'],
])('%s instead of a condition is refused, since something would be ignored', (_what, where, message) => {
  // TypeScript takes the first two.
  expect(() => writeQuery({ select: ['Id'], from: 'Lead', where: where as Condition })).toThrow(message);
});

test('a search without a condition is refused, since it would match everything', () => {
  expect(() => writeQuery({ select: ['Id'], from: 'Lead', where: { any: [] } })).toThrow(
    'where must have at least one condition',
  );
});

test.each(['Id FROM User', '', 'a.', 'a..b', 'a.b c', "x'", 'Id,Name', '1a'])('%j is not taken for a name', (field) => {
  const where: ConditionGroup = { any: [{ field: 'Email', operator: '=', value: 'x' }] };
  expect(() => writeQuery({ select: [field], from: 'Lead', where })).toThrow('field must be the plain name of a field');
  expect(() => writeQuery({ select: ['Id'], from: field, where })).toThrow('field must be the plain name of a field');
  expect(() =>
    writeQuery({ select: ['Id'], from: 'Lead', where: { any: [{ field, operator: '=', value: 1 }] } }),
  ).toThrow('field must be the plain name of a field');
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])('%s is not taken for a number', (value) => {
  expect(() =>
    writeQuery({ select: ['Id'], from: 'Lead', where: { any: [{ field: 'Amount', operator: '=', value }] } }),
  ).toThrow('value must be a finite number');
});

describe('no text changes what is asked', () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.string({
      unit: fc.constantFrom(
        "'",
        '\\',
        '"',
        ' OR ',
        ')',
        '%',
        '_',
        '\n',
        '\r',
        '\0',
        '\u2028',
        '\ud800',
        'Id',
        'n',
        'u',
      ),
    }),
  );
  const where = (condition: ConditionGroup) => writeQuery({ select: ['Id'], from: 'Lead', where: condition });

  test('when it is compared, alone or in a list: it is found as it was given, and nothing else is', () => {
    fc.assert(
      fc.property(nasty, nasty, fc.array(nasty, { minLength: 1, maxLength: 3 }), (email, phone, others) => {
        const query = parseSoql(
          where({
            all: [
              {
                any: [
                  { field: 'Email', operator: '=', value: email },
                  { field: 'Phone', operator: 'in', value: [phone, ...others] },
                ],
              },
              { field: 'IsConverted', operator: '=', value: false },
            ],
          }),
        );

        expect(query).toEqual({
          fields: ['Id'],
          from: 'Lead',
          where: {
            kind: 'and',
            conditions: [
              {
                kind: 'or',
                conditions: [
                  { kind: 'compare', field: 'Email', operator: '=', value: email },
                  { kind: 'in', field: 'Phone', values: [phone, ...others] },
                ],
              },
              { kind: 'compare', field: 'IsConverted', operator: '=', value: false },
            ],
          },
          orderBy: [],
        });
      }),
    );
  });

  test('when it is a part of a pattern: its own per cent signs and underscores stand for themselves', () => {
    const part = nasty.filter((text) => text !== '');
    fc.assert(
      fc.property(part, part, (first, last) => {
        const query = parseSoql(where({ any: [{ field: 'Phone', endsWith: [first, last] }] }));
        const found = (Phone: string) => evaluateSoql(query, [{ Phone }]).length === 1;

        expect(query.where?.kind).toBe('like');
        expect(found(`${first}${last}`)).toBe(true);
        expect(found(`before${first}between${last}`)).toBe(true);
        expect(found(`${first}${last}behind\0`)).toBe(
          `${first}${last}behind\0`.toLowerCase().endsWith(last.toLowerCase()),
        );
      }),
    );
  });
});

test.each([
  ['a_c', 'abc'],
  ['a%c', 'abbc'],
])('%j in a part of a pattern does not find %j', (part, other) => {
  const query = parseSoql(
    writeQuery({ select: ['Id'], from: 'Lead', where: { any: [{ field: 'Phone', endsWith: [part] }] } }),
  );

  expect(evaluateSoql(query, [{ Phone: part }, { Phone: other }])).toEqual([{ Phone: part }]);
});

test('conditions that are mixed stand in parentheses', () => {
  expect(
    writeConditions('Lead', {
      all: [
        {
          any: [
            { field: 'Phone', operator: 'in', value: ['1', '2'] },
            { field: 'MobilePhone', endsWith: ['555', '0100'] },
          ],
        },
        { any: [{ all: [{ field: 'Email', operator: '=', value: 'a@example.com' }] }] },
        { field: 'IsConverted', operator: '=', value: false },
      ],
    }),
  ).toBe("(Phone IN ('1', '2') OR MobilePhone LIKE '%555%0100') AND Email = 'a@example.com' AND IsConverted = false");
});

test.each([
  ['a\nb', "'a\\nb'"],
  ['a\r\tb', "'a\\r\\tb'"],
  ['a\0b', "'a\\u0000b'"],
])('a line break or control character in %j cannot end a text', (value, quoted) => {
  expect(quote(value)).toBe(quoted);
});
