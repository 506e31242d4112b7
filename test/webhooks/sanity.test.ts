import { expect, test } from 'vitest';
import { implausibleField, valuesAt } from '../../src/webhooks/sanity.ts';

const at = { now: Date.UTC(2026, 0, 1), toleranceMs: 1_000 };

test.each<[payload: unknown, field: string | undefined]>([
  [{ amount: 0 }, undefined],
  [{ amount: -0.01 }, 'amount'],
  [{ amount: '-1' }, 'amount'],
  [{ tax_amount: -1 }, 'tax_amount'],
  [{ amounts: -1 }, undefined],
  [{ lines: [{ amount: 1 }, { amount: -1 }] }, 'lines.1.amount'],
  [{ created_at: at.now / 1000 + 1 }, undefined],
  [{ created_at: at.now / 1000 + 2 }, 'created_at'],
  [{ data: { sent_at: '2026-01-01T00:00:02Z' } }, 'data.sent_at'],
  [{ updated_at: 'soon', occurred_at: null }, undefined],
  [null, undefined],
])('%j cannot be true in %s', (payload, field) => {
  expect(implausibleField(payload, {}, at)).toBe(field);
});

test.each(['created_at', 'updated_at', 'occurred_at', 'confirmed_at', 'sent_at', 'timestamp'])(
  '%s is a time that cannot lie ahead',
  (name) => {
    expect(implausibleField({ [name]: '2027-01-01' }, {}, at)).toBe(name);
  },
);

test('a path leads through lists, and ends where there is nothing', () => {
  const payload = { lines: [{ id: 1 }, { id: [2, 3] }, null, 'id'], none: null };

  expect([
    valuesAt(payload, 'lines.id'),
    valuesAt(payload, 'none.id'),
    valuesAt(payload, 'lines.toString'),
    valuesAt(payload, 'lines.id.length'),
    valuesAt({ note: 'text' }, 'note.length'),
    valuesAt(null, 'id'),
  ]).toEqual([[1, 2, 3], [], [], [], [], []]);
});
