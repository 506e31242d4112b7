import { expect, test } from 'vitest';
import * as z from 'zod';
import { createIntegration } from '../../src/index.ts';
import { createToolbox, defineTool, type WordsOfTools } from '../../src/tools/index.ts';
import { chat } from '../../src/tools/providers/openai.ts';
import { apiKey } from '../../src/auth/index.ts';

const bookTable = defineTool({
  name: 'book_table',
  description: 'Books a table.',
  effect: 'write',
  parameters: z.object({ guests: z.int().describe('How many.'), note: z.string().optional() }),
  slowMessage: 'One moment.',
  run: () => ({ booked: true }),
});
const toolboxWith = (words: WordsOfTools) => createToolbox({ tools: [bookTable], words, context: { callId: 'CA1' } });

test('a tool is described in your words, and everything else stays', async () => {
  const toolbox = toolboxWith({
    book_table: {
      description: 'Reserva una mesa.',
      parameters: { guests: 'Cuántas personas.' },
      slowMessage: 'Un momento.',
    },
  });

  expect(toolbox.find('book_table')).toMatchObject({
    description: 'Reserva una mesa.',
    slowMessage: 'Un momento.',
    parameters: { properties: { guests: { type: 'integer', description: 'Cuántas personas.' } }, required: ['guests'] },
  });
  expect(chat.tools(toolbox)).toMatchObject([{ function: { description: 'Reserva una mesa.' } }]);
  expect(await toolbox.run('book_table', { guests: 2 })).toMatchObject({ status: 'done', value: { booked: true } });
});

test('a slow message can be switched off', () => {
  expect(toolboxWith({ book_table: { slowMessage: false } }).find('book_table')?.slowMessage).toBeUndefined();
  expect(toolboxWith({ book_table: {} }).find('book_table')?.slowMessage).toBe('One moment.');
});

test.each<[WordsOfTools, field: string, problem: string]>([
  [{ book_tabel: {} }, 'words.book_tabel', 'did you mean book_table?'],
  [{ cancel_order: {} }, 'words.cancel_order', 'there is book_table'],
  [{ book_table: { parameters: { guest: 'x' } } }, 'words.book_table.parameters.guest', 'did you mean guests?'],
  [{ book_table: { description: ' ' } }, 'words.book_table.description', '1 to 1024 characters'],
])('words that fit nothing are refused: %j', (words, field, problem) => {
  expect(() => toolboxWith(words)).toThrow(
    expect.objectContaining({ code: 'invalid_argument', field, problem: expect.stringContaining(problem) }),
  );
});

test('one set of words serves a phone call that has fewer tools, and a misspelt name is still refused', () => {
  const { startPhoneCall } = createIntegration({
    billing: {
      baseUrl: 'https://billing.example',
      authenticate: apiKey('X-Api-Key', () => 'key'),
      version: { path: 'v1' },
    },
    payments: { below: 500, confirm: false },
  });
  const start = (words: WordsOfTools) =>
    startPhoneCall({ callId: 'CA1', direction: 'inbound', tools: { words } }).tools;

  const slowMessage = 'Un momento.';
  expect(
    start({ lookup_customer_invoices: { slowMessage }, create_payment: { slowMessage }, route_to_team: {} })
      .tools()
      .map((tool) => [tool.name, tool.slowMessage]),
  ).toEqual([['lookup_customer_invoices', slowMessage]]);
  expect(() => start({ lookup_customer_invoice: {} })).toThrow('did you mean lookup_customer_invoices?');
});
