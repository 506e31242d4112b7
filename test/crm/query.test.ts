import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quote, writeQuery } from '../../src/crm/query.ts';

test('values become literals, names stay names', () => {
  expect(
    writeQuery({
      select: ['Id', 'Status'],
      from: 'Lead',
      where: {
        all: [
          { field: 'Email', value: "o'hara\\@example.com" },
          { field: 'IsConverted', value: false },
          { field: 'Lead_Score__c', value: 7.5 },
        ],
      },
      orderBy: ['LastModifiedDate DESC'],
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

test('a search without a condition is refused, since it would match everything', () => {
  expect(() => writeQuery({ select: ['Id'], from: 'Lead', where: { any: [] } })).toThrow(
    'where must have at least one condition',
  );
});

test.each(['Id FROM User', '', 'a.b', "x'", 'Id,Name', '1a'])('%j is not taken for a name', (field) => {
  const where = { any: [{ field: 'Email', value: 'x' }] };
  expect(() => writeQuery({ select: [field], from: 'Lead', where })).toThrow('field must be the plain name of a field');
  expect(() => writeQuery({ select: ['Id'], from: field, where })).toThrow('field must be the plain name of a field');
  expect(() => writeQuery({ select: ['Id'], from: 'Lead', where: { any: [{ field, value: 1 }] } })).toThrow(
    'field must be the plain name of a field',
  );
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])('%s is not taken for a number', (value) => {
  expect(() => writeQuery({ select: ['Id'], from: 'Lead', where: { any: [{ field: 'Amount', value }] } })).toThrow(
    'value must be a finite number',
  );
});

test('no text changes what is asked', () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom("'", '\\', '"', ' OR ', ')', '%', '\n', '\0', 'Id') }),
  );
  fc.assert(
    fc.property(nasty, nasty, (email, phone) => {
      const query = writeQuery({
        select: ['Id'],
        from: 'Lead',
        where: {
          any: [
            { field: 'Email', value: email },
            { field: 'Phone', value: phone },
          ],
        },
      });
      const { structure, texts } = readTexts(query);
      expect(structure).toBe('SELECT Id FROM Lead WHERE Email = ? OR Phone = ?');
      expect(texts).toEqual([email, phone]);
    }),
  );
});

/** Reads a query as the CRM does: a text runs from a quote to the next one that no backslash stands before. */
const readTexts = (query: string): { structure: string; texts: readonly string[] } => {
  const texts: string[] = [];
  let structure = '';
  for (let at = 0; at < query.length; at += 1) {
    if (query[at] !== "'") {
      structure += query[at];
      continue;
    }
    let text = '';
    for (at += 1; query[at] !== "'"; at += 1) {
      if (at >= query.length) throw new Error('the text has no end');
      if (query[at] === '\\') at += 1;
      text += query[at];
    }
    texts.push(text);
    structure += '?';
  }
  return { structure, texts };
};
