import { describe, expect, it } from 'vitest';
import { evaluateSoql, fieldsOf } from '../../../../src/dev/testing/soql/evaluate.ts';
import { parseSoql } from '../../../../src/dev/testing/soql/parse.ts';
import fc from '../../../support/fast-check.ts';

const rows = [
  { Id: '1', Name: 'Ann', Age: 30, Open: true, Day: '2026-01-01', Mail: null },
  { Id: '2', Name: 'bo', Age: 40, Open: false, Day: '2026-02-01', Mail: 'bo@example.com' },
  { Id: '3', Name: '100%_sure', Age: 40, Open: true, Day: '2026-03-01' },
];
const idsOf = (query: string, limit?: number) => evaluateSoql(parseSoql(query), rows, limit).map(({ Id }) => Id);
const where = (condition: string) => idsOf(`SELECT Id FROM Row WHERE ${condition}`);

describe('a query', () => {
  it('is read whole', () => {
    const query = parseSoql(
      "select Id, Name from Row where (Name = 'Ann' or Age >= 40) and Open = true order by Age desc nulls last, Name limit 2",
    );

    expect(query).toEqual({
      fields: ['Id', 'Name'],
      from: 'Row',
      where: {
        kind: 'and',
        conditions: [
          {
            kind: 'or',
            conditions: [
              { kind: 'compare', field: 'Name', operator: '=', value: 'Ann' },
              { kind: 'compare', field: 'Age', operator: '>=', value: 40 },
            ],
          },
          { kind: 'compare', field: 'Open', operator: '=', value: true },
        ],
      },
      orderBy: [
        { field: 'Age', descending: true },
        { field: 'Name', descending: false },
      ],
      limit: 2,
    });
    expect(fieldsOf(query)).toEqual(['Id', 'Name', 'Name', 'Age', 'Open', 'Age', 'Name']);
  });

  it.each([
    ["Name != 'ann'", ['2', '3']],
    ['Age < 40', ['1']],
    ['Age <= 30', ['1']],
    ['Age > 30 AND Open = false', ['2']],
    ['Mail = null', ['1', '3']],
    ['Mail != null', ['2']],
    ['Day >= 2026-02-01', ['2', '3']],
    ["Name LIKE 'a%'", ['1']],
    ["Name LIKE 'b_'", ['2']],
    ["Name LIKE '100\\%\\_%'", ['3']],
    ["Name LIKE '1.0%'", []],
    ["Name IN ('ann', 'bo')", ['1', '2']],
    ["NOT Name = 'Ann'", ['2', '3']],
    ["NOT (Name = 'Ann' OR Age = 40)", []],
    ["(Name = 'Ann') OR (Age = 40 AND Open = true)", ['1', '3']],
  ])('finds what it means: %s', (condition, ids) => {
    expect(where(condition)).toEqual(ids);
  });

  it.each([
    ['SELECT Id FROM Row ORDER BY Age DESC, Name ASC', ['3', '2', '1']],
    ['SELECT Id FROM Row ORDER BY Mail', ['1', '3', '2']],
    ['SELECT Id FROM Row LIMIT 2', ['1', '2']],
    ['SELECT Id FROM Row', ['1', '2', '3']],
  ])('orders and cuts: %s', (query, ids) => {
    expect(idsOf(query)).toEqual(ids);
  });

  it('is cut at the smaller of two limits', () => {
    expect(idsOf('SELECT Id FROM Row LIMIT 2', 1)).toEqual(['1']);
    expect(idsOf('SELECT Id FROM Row LIMIT 1', 2)).toEqual(['1']);
  });

  it.each([
    ['', 'expected SELECT but found the end of the query'],
    ['SELECT FROM Row', 'expected a field but found FROM'],
    ['SELECT Id, FROM Row', 'expected a field but found FROM'],
    [
      "SELECT Id FROM Row WHERE Name = 'a' OR Age = 1 AND Open = true",
      'expected parentheses around mixed AND and OR but found AND',
    ],
    ['SELECT Id FROM Row WHERE Name', 'expected an operator but found the end of the query'],
    ['SELECT Id FROM Row WHERE Name = Ann', 'expected a value but found Ann'],
    ["SELECT Id FROM Row WHERE (Name = 'a'", 'expected ) but found the end of the query'],
    ["SELECT Id FROM Row WHERE Name = 'a' 'b'", "expected the end of the query but found 'b'"],
    ["SELECT Id FROM Row WHERE Name = 'O'Hara'", 'a string that does not end'],
    ["SELECT Id FROM Row WHERE Name = 'a\\x'", 'an unknown escape inside a string'],
    ["SELECT Id FROM Row WHERE Name = 'a\nb'", 'a line break inside a string'],
    ['SELECT Id FROM Row -- all', 'unexpected character at position 19'],
    ['SELECT Id FROM Row LIMIT 1.5', 'expected a whole number but found 1.5'],
    ['SELECT Id FROM Row LIMIT', 'expected a whole number but found the end of the query'],
    ['SELECT Id FROM Row WHERE Name = constructor', 'expected a value but found constructor'],
  ])('is refused when it is malformed: %j', (query, message) => {
    expect(() => parseSoql(query)).toThrow(message);
  });

  it('gives back any text that was escaped as the language asks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!/[\r\n]/.test(text));
        const literal = `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

        const { where: condition } = parseSoql(`SELECT Id FROM Row WHERE Name = ${literal} LIMIT 1`);

        expect(condition).toEqual({ kind: 'compare', field: 'Name', operator: '=', value: text });
      }),
    );
  });

  it('takes any text that was escaped for LIKE as itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("'", '\\', '%', '_', '.', '$', '(', 'a') }), (text) => {
        const escaped = text.replace(/[\\'%_]/g, '\\$&');
        const query = parseSoql(`SELECT Id FROM Row WHERE Name LIKE '${escaped}'`);

        expect(evaluateSoql(query, [{ Name: text }, { Name: `${text}b` }, { Name: `b${text}` }])).toEqual([
          { Name: text },
        ]);
      }),
    );
  });
});
