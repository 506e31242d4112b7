import { describe, expect, test } from 'vitest';
import { connectCustomer, linesTo } from '../../support/connected-zendesk.ts';

/** Pages have two comments instead of 100. */
const connect = async (comments: number) => {
  const connected = await connectCustomer({ fake: { pageSize: 2, rateLimit: false } });
  for (let number = 2; number <= comments; number += 1)
    await connected.messaging.conversations.addNote(connected.ticketId, { body: `Note ${number}.` });
  const before = connected.platform.requests.length;
  return { ...connected, lines: () => linesTo(connected).slice(before) };
};

const bodies = (
  record: { readonly parts?: readonly { readonly body?: string | null | undefined }[] | undefined } | undefined,
) => record?.parts?.map(({ body }) => body);

describe.each(['conversations', 'tickets'] as const)('%s.get reads the comments', (resource) => {
  test.each([1, 2, 3, 5, 20])('to their end: %i', async (count) => {
    await using connected = await connect(count);

    const record = await connected.messaging[resource].get(connected.ticketId);

    const notes = Array.from({ length: count - 1 }, (_, index) => `Note ${index + 2}.`);
    expect(bodies(record)).toEqual(['It is cold.', ...notes]);
    expect(record?.parts_total).toBeUndefined();
    expect(record?.notes).toHaveLength(count - 1);
  });

  test('up to ten pages of the newest, and how many there are', async () => {
    await using connected = await connect(23);

    const record = await connected.messaging[resource].get(connected.ticketId);

    expect(bodies(record)?.at(0)).toBe('Note 4.');
    expect(bodies(record)?.at(-1)).toBe('Note 23.');
    expect(record?.parts).toHaveLength(20);
    expect(record?.parts_total).toBe(23);
    expect(connected.lines()).toHaveLength(11);
  });
});
