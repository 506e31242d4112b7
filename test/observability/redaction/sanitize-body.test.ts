import { describe, expect, it } from 'vitest';
import { sanitizeBody } from '../../../src/observability/redaction/sanitize-body.ts';

describe('a body in a log', () => {
  it('shows kinds, ids, states, numbers and dates, and no other text', () => {
    const body = {
      type: 'contact.updated',
      id: 'notif_1',
      contactId: 'c_1',
      status: 'open',
      amount: 12.5,
      isPaid: true,
      closed: null,
      created_at: '2026-11-21T10:00:00Z',
      name: 'Ann Lee',
      note: { text: 'My PIN is 1234', lines: ['one', 2] },
      empty: '',
    };

    expect(sanitizeBody(body)).toEqual({
      ...body,
      name: '[text]',
      note: { text: '[text]', lines: ['[text]', 2] },
    });
  });

  it('masks personal data also where a text is shown', () => {
    expect(
      sanitizeBody({
        external_id: 'ann@example.com',
        status: 'call +14155550100',
        'bob@example.com': 1,
        card: 4242424242424242,
      }),
    ).toEqual({ external_id: '[email]', status: 'call [phone]', '[email]': 1, card: '[number]' });
  });

  it('shows a reason that is a word, and none that a person wrote', () => {
    expect(sanitizeBody({ reason: 'requested_by_customer', cancel_reason: 'Ann Lee is in hospital' })).toEqual({
      reason: 'requested_by_customer',
      cancel_reason: '[text]',
    });
    expect(sanitizeBody({ status: 'in progress', event: 'Call Completed' })).toEqual({
      status: 'in progress',
      event: 'Call Completed',
    });
  });

  it('is cut where it is long, deep or large', () => {
    const deep = Array.from({ length: 20 }).reduce<unknown>((inner) => ({ inner }), 1);
    const large = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field_${index}`, index]));

    expect(sanitizeBody({ list: Array.from({ length: 12 }, (_, index) => index) })).toEqual({
      list: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, '[2 more]'],
    });
    expect(JSON.stringify(sanitizeBody(deep))).toContain('"[cut]"');
    expect(Object.keys(sanitizeBody(large) as object).length).toBe(199);
    expect(sanitizeBody({ id: 'x'.repeat(100), order_id: 'x'.repeat(101) })).toEqual({
      id: 'x'.repeat(100),
      order_id: '[text]',
    });
  });

  it('shows long numbers only where they are times or ids', () => {
    expect(
      sanitizeBody({
        phone: 14155550100,
        created_at: 1_763_712_000,
        sentAt: 1_763_712_000_000,
        call_id: 9_000_000_001,
      }),
    ).toEqual({
      phone: '[number]',
      created_at: 1_763_712_000,
      sentAt: 1_763_712_000_000,
      call_id: 9_000_000_001,
    });
  });

  it('may be anything', () => {
    expect([sanitizeBody('Ann'), sanitizeBody(1), sanitizeBody(null), sanitizeBody(undefined)]).toEqual([
      '[text]',
      1,
      null,
      undefined,
    ]);
  });
});
