import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { chat } from '../../src/tools/providers/openai.ts';
import { createToolbox, defineTool, pick, type Toolbox, toolsByJob } from '../../src/tools/index.ts';
import * as z from 'zod';
import { startPhoneCall } from '../../src/phone-call/start-phone-call.ts';
import { connectIntercom } from '../support/connected-intercom.ts';
import { realisticAnswers, startAnsweredPhoneCall, withProof } from '../support/answered-phone-call.ts';

const tokensOf = (value: unknown) => countTokens(typeof value === 'string' ? value : JSON.stringify(value));

describe('what a model gets about all the tools together', () => {
  const toolbox = startAnsweredPhoneCall(undefined, withProof.code);
  // A caller proves who they are in one way.
  const others = startAnsweredPhoneCall(undefined, withProof.questions)
    .tools()
    .filter(({ name }) => !toolbox.find(name));
  const definitions = toolbox.tools().map(({ name, description, parameters }) => ({ name, description, parameters }));
  const strict = chat.tools(toolbox);

  test('is about every ready tool', () => {
    const names = Object.values(toolsByJob).flat();

    expect(new Set(names).size).toBe(names.length);
    expect([...toolbox.tools(), ...others].map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });

  test('is at most 2400 tokens, and at most 150 each but for the one with ten arguments', () => {
    expect(tokensOf(definitions)).toBeLessThanOrEqual(2_400);
    expect(definitions.filter((definition) => tokensOf(definition) > 150).map(({ name }) => name)).toEqual([
      'qualify_lead',
    ]);
    expect(Math.max(...definitions.map(tokensOf))).toBeLessThanOrEqual(200);
  });

  test('is at most 2900 tokens as OpenAI strict, and at most 150 each but for the one with ten arguments', () => {
    expect(tokensOf(strict)).toBeLessThanOrEqual(2_900);
    // Strict mode names an optional argument as required and as one that may be null: six tokens more for each.
    expect(strict.filter((tool) => tokensOf(tool) > 150).map((tool) => tool.function.name)).toEqual(['qualify_lead']);
    expect(Math.max(...strict.map(tokensOf))).toBeLessThanOrEqual(260);
  });
});

describe('a refusal is less than 60 tokens', () => {
  test.each<[name: string, args: unknown]>([
    ['create_payment', '{"customer_id": "cus_70", "invoice_id": '],
    ['create_payment', { customer_id: 7, invoice_id: '', amount: '129.50', payment_method_id: null }],
    ['create_payment', { customer_id: 'c', invoice_id: 'i', amount: -1, payment_method_id: '4242 4242 4242 4242' }],
    ['lookup_customer_invoices', { phone: '0415 555 0100', email: 'ada at northwind' }],
    [
      'qualify_lead',
      { email: 'nowhere', employees: 1.5, score: 101, expected_close: 'soon', company: 'x'.repeat(9000) },
    ],
    ['route_to_team', { team: 'Marketing' }],
  ])('%s %j', async (name, args) => {
    const { status, text } = await startAnsweredPhoneCall().run(name, args);

    expect(status).toBe('refused');
    expect(tokensOf(text)).toBeLessThan(60);
  });
});

interface Told {
  /** Tokens of the compact JSON that the API answered. */
  readonly before: number;
  readonly after: number;
}

const told = async (toolbox: Toolbox, name: string, args: object, answer: unknown): Promise<Told> => {
  const { status, text } = await toolbox.run(name, args, { conversationIds: ['215468823'] });
  expect(status).toBe('done');
  return { before: tokensOf(answer), after: tokensOf(text) };
};

/** Reads what no bundled tool reads out: the whole of a record, with nothing selected but what `select` names. */
const readTool = (name: string, answer: unknown, select?: (answer: never) => unknown): Toolbox =>
  createToolbox({
    tools: [
      defineTool({
        name,
        description: 'Read it.',
        parameters: z.object({}),
        effect: 'read',
        run: () => answer as never,
        ...(select && { compact: select }),
      }),
    ],
    context: { callId: 'CA1' },
  });

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

describe('what a model gets of a realistic answer', () => {
  const answers = realisticAnswers();
  const { contacts, conversation, leads, invoices } = answers;
  const toolbox = startAnsweredPhoneCall(answers);

  test('by the bundled tools is at most 5 % of it, and at most 200 tokens in the median', async () => {
    const results = [
      await told(toolbox, 'identify_caller', {}, contacts),
      await told(toolbox, 'get_caller_context', {}, contacts),
      await told(toolbox, 'add_note', { text: 'Asked for a refund of the second charge.' }, conversation),
      await told(toolbox, 'qualify_lead', { company: 'Northwind Bakery' }, leads),
      await told(toolbox, 'lookup_customer_invoices', {}, invoices),
    ];

    expect(results.filter(({ before, after }) => after > before * 0.05)).toEqual([]);
    expect(median(results.map(({ after }) => after))).toBeLessThanOrEqual(200);
  });

  test('by a tool that picks the fields it needs is at most 5 % of it, and at most 200 tokens in the median', async () => {
    const bodiesOf = ({ state, conversation_parts: { conversation_parts: parts } }: typeof conversation) => ({
      state,
      parts: parts.length,
      last: parts.slice(-1).map(({ body }) => body),
    });
    const results = [
      await told(
        readTool('find_contacts', contacts, ({ data }: typeof contacts) => ({
          contacts: data.slice(0, 3).map((contact) => pick(contact, ['name', 'email'])),
          count: data.length,
        })),
        'find_contacts',
        {},
        contacts,
      ),
      await told(readTool('read_conversation', conversation, bodiesOf), 'read_conversation', {}, conversation),
      await told(
        readTool('find_leads', leads, ({ data }: typeof leads) =>
          data.map((lead) => pick(lead, ['FirstName', 'Company', 'Status'])),
        ),
        'find_leads',
        {},
        leads,
      ),
      await told(toolbox, 'lookup_customer_invoices', {}, invoices),
    ];

    expect(results.filter(({ before, after }) => after > before * 0.05)).toEqual([]);
    expect(median(results.map(({ after }) => after))).toBeLessThanOrEqual(200);
  });

  test('by a tool that picks nothing is at most 400 tokens', async () => {
    const results = [
      await told(readTool('read_all', contacts), 'read_all', {}, contacts),
      await told(readTool('read_all', conversation), 'read_all', {}, conversation),
      await told(readTool('read_all', leads), 'read_all', {}, leads),
      await told(readTool('read_all', invoices), 'read_all', {}, invoices),
    ];

    expect(results.filter(({ after }) => after > 400)).toEqual([]);
  });
});

describe('words that a tool quotes are at most 200 tokens', () => {
  test.each([
    {
      language: 'English',
      question:
        'Hello, the scanner in our warehouse stopped reading labels this morning and blinks red all the time. What should we do?',
      answer:
        'Thank you for waiting. A colleague brings a new scanner tomorrow between nine and eleven and takes the old one.',
    },
    {
      language: 'Russian',
      question:
        'Здравствуйте, сканер на нашем складе с утра не читает этикетки, и лампочка всё время мигает красным. Что делать?',
      answer:
        'Спасибо за ожидание. Коллега привезёт новый сканер завтра между девятью и одиннадцатью и заберёт старый.',
    },
    {
      language: 'Japanese',
      question:
        'こんにちは。倉庫のスキャナーが今朝からラベルを読み取らなくなり、ランプがずっと赤く点滅しています。どうすればよいでしょうか。',
      answer:
        'お待たせいたしました。明日の九時から十一時の間に、担当者が新しいスキャナーをお持ちし、古いものを引き取ります。',
    },
  ])('in $language', async ({ question, answer }) => {
    await using intercom = await connectIntercom();
    const { messaging } = intercom.platform;
    const phone = '+14155550100';
    const contact = messaging.addContact({ name: 'Jane', phone });
    for (const number of [1, 2, 3]) {
      const author = { type: 'admin' as const, id: 'admin_1' };
      messaging.addConversation({
        contact_id: contact.id,
        body: question,
        parts: [
          { id: `p${number}`, type: 'comment', body: answer, author, assigned_to: null, created_at: 1_790_000_000 },
        ],
      });
      messaging.addArticle({ title: question.slice(0, 20), body: `${question} ${answer} `.repeat(4) });
    }
    const { tools } = startPhoneCall({ messaging: intercom.client }, { callId: 'CA1', direction: 'Inbound', phone });
    await tools.run('identify_caller', {});

    const recent = await tools.run('list_recent_conversations', {});
    const help = await tools.run('search_help_center', { words: question.slice(0, 5) });

    expect(recent.value).toMatchObject({
      conversations: [{ last: expect.stringContaining(answer.slice(0, 8)) }, {}, {}],
    });
    expect(help.value).toMatchObject({ articles: [{}, {}, {}] });
    expect(tokensOf(recent.text)).toBeLessThanOrEqual(200);
    expect(tokensOf(help.text)).toBeLessThanOrEqual(200);
  });
});
